package httptool

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/kervan-mcp/kervan/guard"
)

// A failure is what stops a call: an [*Error] that is not redacted yet.
type failure struct {
	outcome Outcome
	message string // for the model
	cause   error  // for logs; may be nil
}

func (f *failure) Error() string { return f.message }
func (f *failure) Unwrap() error { return f.cause }

// conclude makes the error of a call, once, of what stopped it. That its time
// was up, or that its caller left, is the reason of whatever failed then.
func (c *call) conclude(ctx context.Context, err error) error {
	var f *failure
	switch {
	case isPast(ctx):
		f = &failure{OutcomeTimeout, textTimeout(c.host(), c.timeout), err}
	case ctx.Err() != nil:
		f = &failure{OutcomeCancelled, textCancelled(c.host()), err}
	case !errors.As(err, &f):
		c.outcome = OutcomeFault
		return c.redactor().Error(err)
	}
	c.outcome = f.outcome
	return c.redacted(f)
}

func (c *call) redacted(f *failure) *Error {
	message, _ := c.redactor().Text(f.message)
	e := &Error{Message: message}
	if f.cause != nil {
		e.Cause = c.redactor().Error(f.cause)
	}
	return e
}

// isPast reports whether the deadline has passed. The timers of connections may
// fire before that of the context.
func isPast(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return errors.Is(ctx.Err(), context.DeadlineExceeded) || ok && !time.Now().Before(deadline)
}

// panicked makes an error of a panic. What was thrown may hold anything.
func (c *call) panicked(v any) error {
	c.outcome = OutcomeFault
	return c.redactor().Error(fmt.Errorf("httptool: panic in tool %q: %v\n%s", c.tool.Name, v, debug.Stack()))
}

// host names the tool's host to a model.
func (c *call) host() string { return c.tool.authority() }

// networkFailure says why no response, or not all of it, came from a URL.
func networkFailure(u *url.URL, err error) error {
	var blocked *guard.BlockedError
	if errors.As(err, &blocked) {
		return &failure{OutcomeBlocked, textFailed(u.Host, blocked.Error()), err}
	}
	return &failure{OutcomeFailed, textFailed(u.Host, networkReason(err)), err}
}

// networkReason puts an error of the network into words that name no address.
func networkReason(err error) string {
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &dns):
		return reasonDNS
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, errConnRefused):
		return reasonRefused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, errConnReset):
		return reasonReset
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return reasonUnreachable
	case isTLS(err):
		return reasonTLS
	case errors.As(err, &timeout) && timeout.Timeout():
		return reasonTimeout
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return reasonEnded
	}
	return reasonOther
}

func isTLS(err error) bool {
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var unknown x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &certificate) || errors.As(err, &record) || errors.As(err, &alert) ||
		errors.As(err, &unknown) || errors.As(err, &hostname) || errors.As(err, &invalid)
}

// redirectFailure says why a redirect was not followed. It names where it came
// from: where it leads is the upstream's text, which may hold a secret in a
// spelling that host names do not keep.
func redirectFailure(from *url.URL, status int, err error) error {
	var blocked *guard.BlockedError
	if errors.As(err, &blocked) {
		return &failure{OutcomeBlocked, textFailed(from.Host, reasonRedirectHost), nil}
	}
	var refused *guard.RedirectError
	switch {
	case !errors.As(err, &refused):
		return err
	case refused.Reason == guard.ReasonNotRedirect:
		return &failure{OutcomeStatus, textRedirectNotFollowed(status), err}
	}
	return &failure{OutcomeBlocked, textFailed(from.Host, refused.Error()), err}
}
