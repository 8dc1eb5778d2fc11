package forecast

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"os"
	"time"
)

// key is what the API wants to be shown.
const key = "bench-key-0123456789abcdef"

// An API is where the API is served, and whom to trust there.
type API struct {
	URL   string
	Trust *x509.CertPool
}

// Environment variables that tell a server of the tools about the API.
const (
	envURL = "FORECAST_URL"
	envKey = "FORECAST_KEY"
	// envCA is a file with the certificate of the authority, under the name that
	// Node knows it by.
	envCA = "NODE_EXTRA_CA_CERTS"
)

// Environment is what FromEnvironment reads: for the API at a URL whose
// certificate is vouched for by an authority, which is in a file.
func Environment(url, caFile string) []string {
	return []string{envURL + "=" + url, envKey + "=" + key, envCA + "=" + caFile}
}

// FromEnvironment returns the API that the environment names.
func FromEnvironment() (API, error) { return NewAPI(os.Getenv(envURL), os.Getenv(envCA)) }

// NewAPI returns the API at a URL.
func NewAPI(url, caFile string) (API, error) {
	authority, err := os.ReadFile(caFile)
	if err != nil {
		return API{}, err
	}
	a := API{URL: url, Trust: x509.NewCertPool()}
	if url == "" || !a.Trust.AppendCertsFromPEM(authority) {
		return API{}, errors.New("there is no URL of an API, or no authority")
	}
	return a, nil
}

// Serve serves the API over TLS on loopback until ctx ends. Before it announces
// its URL it makes an authority, and writes its certificate to a file.
//
// It speaks HTTP/1.1 only, which is what all the clients that are compared have in
// common.
func Serve(ctx context.Context, caFile string, announce func(url string)) error {
	authority, certificate, err := newCertificates()
	if err != nil {
		return err
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority})
	if err := os.WriteFile(caFile, block, 0o644); err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: Handler(), TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}},
		TLSNextProto:      map[string]func(*http.Server, *tls.Conn, http.Handler){}, // no HTTP/2
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	announce("https://" + listener.Addr().String())
	if err := server.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// newCertificates makes an authority, and with it a certificate for 127.0.0.1.
func newCertificates() (authority []byte, server tls.Certificate, err error) {
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, server, err
	}
	ca := template("Benchmarks")
	ca.IsCA, ca.BasicConstraintsValid, ca.KeyUsage = true, true, x509.KeyUsageCertSign
	authority, err = x509.CreateCertificate(rand.Reader, ca, ca, caKey.Public(), caKey)
	if err != nil {
		return nil, server, err
	}
	serverKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, server, err
	}
	leaf := template("forecast")
	leaf.IPAddresses, leaf.ExtKeyUsage = []net.IP{net.IPv4(127, 0, 0, 1)}, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	signed, err := x509.CreateCertificate(rand.Reader, leaf, ca, serverKey.Public(), caKey)
	return authority, tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: serverKey}, err
}

func template(name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
	}
}
