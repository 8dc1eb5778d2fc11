package guard

import (
	"io"
	"net/http"
	"net/netip"
	"testing"
	"time"
)

// BenchmarkRequest compares a guarded request with one of a plain http.Client,
// over TLS on the loopback: on a pooled connection, and on a fresh one each.
func BenchmarkRequest(b *testing.B) {
	server, trust := newTLSServer(b, says(`{"ok":true}`))
	plain := func(fresh bool) *http.Client {
		return &http.Client{Transport: &http.Transport{TLSClientConfig: trust.Clone(), ForceAttemptHTTP2: true, DisableCompression: true, DisableKeepAlives: fresh}}
	}
	guarded := func(fresh bool) *http.Client {
		client, err := NewClient(Policy{AllowPrivate: true, TLS: trust})
		if err != nil {
			b.Fatal(err)
		}
		client.Transport.(*Transport).direct.DisableKeepAlives = fresh
		return client
	}
	http1 := func(client *http.Client) *http.Client {
		protocols := new(http.Protocols)
		protocols.SetHTTP1(true)
		switch t := client.Transport.(type) {
		case *http.Transport:
			t.Protocols = protocols
		case *Transport:
			t.direct.Protocols = protocols
		}
		return client
	}
	b.Run("pooled/http1/plain", func(b *testing.B) { requests(b, http1(plain(false)), server.URL) })
	b.Run("pooled/http1/guard", func(b *testing.B) { requests(b, http1(guarded(false)), server.URL) })
	b.Run("pooled/http2/plain", func(b *testing.B) { requests(b, plain(false), server.URL) })
	b.Run("pooled/http2/guard", func(b *testing.B) { requests(b, guarded(false), server.URL) })
	b.Run("fresh/plain", func(b *testing.B) { requests(b, plain(true), server.URL) })
	b.Run("fresh/guard", func(b *testing.B) { requests(b, guarded(true), server.URL) })
}

// requests sends one request after the other.
func requests(b *testing.B, client *http.Client, url string) {
	defer client.CloseIdleConnections()
	request := func() {
		resp, err := client.Get(url)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			b.Fatal(err)
		}
		resp.Body.Close()
	}
	request()
	b.ReportAllocs()
	for b.Loop() {
		request()
	}
}

// BenchmarkPooledRatio alternates guarded and plain requests on pooled
// connections, so that both meet the same machine, and reports their ratio.
func BenchmarkPooledRatio(b *testing.B) {
	server, trust := newTLSServer(b, says(`{"ok":true}`))
	client := func(t http.RoundTripper) func() {
		c := &http.Client{Transport: t}
		b.Cleanup(c.CloseIdleConnections)
		return func() {
			if _, err := get(c, server.URL); err != nil {
				b.Fatal(err)
			}
		}
	}
	guardedTransport, err := NewTransport(Policy{AllowPrivate: true, TLS: trust})
	if err != nil {
		b.Fatal(err)
	}
	plain := client(&http.Transport{TLSClientConfig: trust.Clone(), ForceAttemptHTTP2: true, DisableCompression: true})
	guarded := client(guardedTransport)
	plain()
	guarded()
	var plainTime, guardedTime time.Duration
	for b.Loop() {
		start := time.Now()
		plain()
		middle := time.Now()
		guarded()
		plainTime += middle.Sub(start)
		guardedTime += time.Since(middle)
	}
	b.ReportMetric(float64(guardedTime)/float64(plainTime), "guard/plain")
}

func BenchmarkVerdict(b *testing.B) {
	j := testJudge(b, Policy{})
	for name, a := range map[string]netip.Addr{"v4": netip.MustParseAddr("93.184.216.34"), "v6": netip.MustParseAddr("2606:4700::1")} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				j.verdict(a)
			}
		})
	}
}

func BenchmarkNormalizeHost(b *testing.B) {
	for _, host := range []string{"api.example.com", "93.184.216.34", "bücher.example"} {
		b.Run(host, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := NormalizeHost(host); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
