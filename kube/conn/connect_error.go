package conn

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// ConnectProblem says what stands between us and a cluster.
type ConnectProblem string

// The problems that a connection can have.
const (
	NoKubeconfig   ConnectProblem = "no kubeconfig"
	BadKubeconfig  ConnectProblem = "bad kubeconfig"
	BadContext     ConnectProblem = "bad context"
	NoServer       ConnectProblem = "no server"
	NotReady       ConnectProblem = "the server is not ready"
	BadTLS         ConnectProblem = "TLS trouble"
	BadCredentials ConnectProblem = "credentials refused"
	PluginFailed   ConnectProblem = "credential plugin failed"
	OtherProblem   ConnectProblem = "unexpected answer"
)

// ConnectError tells why there is no connection, in the words of whoever
// refused it, and what the operator can do about it.
type ConnectError struct {
	Kind   ConnectProblem
	Tried  string // what was tried on which object
	Hint   string // what the operator can do; one sentence
	Reason error
}

func (e *ConnectError) Error() string {
	return kube.Clean(fmt.Sprintf("%s: %s: %v", e.Tried, e.Kind, e.Reason))
}

func (e *ConnectError) Unwrap() error { return e.Reason }

// diagnose finds the problem behind an error of the first request.
func diagnose(err error, server, contextName string) *ConnectError {
	e := &ConnectError{Tried: "connecting to " + server, Reason: PlainCause(err)}
	if contextName != "" {
		e.Tried += fmt.Sprintf(" (context %q)", contextName)
	}
	switch {
	case IsPluginError(err):
		e.Kind = PluginFailed
		e.Hint = "Run the log-in command of your credential plugin in this terminal, then start again."
	case apierrors.IsUnauthorized(err):
		e.Kind = BadCredentials
		e.Hint = "Log in again: the server does not accept the token or certificate of this context (expired or revoked)."
	case isNotReady(err):
		e.Kind = NotReady
		e.Hint = "The API server is reachable but not ready: it may be starting, or overloaded. Try again in a moment."
	case apierrors.IsForbidden(err):
		e.Kind = OtherProblem
		e.Hint = "The server refuses even to say who you are. One that is just starting refuses every user until it has read its roles: " +
			"try again in a moment. Else ask for the roles system:basic-user and system:public-info-viewer."
	case isClientCertificateError(err):
		e.Kind = BadCredentials
		e.Hint = "Renew the client certificate of this context: the server refused it in the TLS handshake."
	case isTLSError(err):
		e.Kind = BadTLS
		e.Hint = "Check that certificate-authority and server in the kubeconfig belong to the same cluster; a proxy in between shows up like this too."
	case errors.As(err, new(*foreignError)):
		e.Kind = OtherProblem
		e.Hint = "A gateway before the API server wants a new log-in, or the server address is not that of the API server."
	case isNetworkError(err):
		e.Kind = NoServer
		e.Hint = serverHint(err)
	default:
		e.Kind = OtherProblem
		e.Hint = "Check that the server address is that of a Kubernetes API server."
	}
	return e
}

// PlainCause takes the method and the address off: both are said elsewhere.
func PlainCause(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// IsPluginError goes by the words of client-go's exec authenticator, which
// flattens its errors (plugin/pkg/client/auth/exec/exec.go).
func IsPluginError(err error) bool {
	var unsent *UnsentError
	text := err.Error()
	return errors.As(err, &unsent) || strings.Contains(text, "getting credentials: ") ||
		strings.Contains(text, "exec plugin")
}

func isTLSError(err error) bool {
	var unknown x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var host x509.HostnameError
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	return errors.As(err, &unknown) || errors.As(err, &invalid) || errors.As(err, &host) ||
		errors.As(err, &verification) || errors.As(err, &record) ||
		strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") ||
		strings.Contains(err.Error(), "tls: ") || strings.Contains(err.Error(), "x509: ") ||
		strings.Contains(err.Error(), "Client sent an HTTP request to an HTTPS server")
}

// isNotReady tells a server that will answer later: what an API server says while
// it starts, while etcd does not answer, or with too much to do.
func isNotReady(err error) bool {
	return apierrors.IsServiceUnavailable(err) || apierrors.IsInternalError(err) || apierrors.IsTooManyRequests(err) ||
		apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err)
}

// isClientCertificateError: the server's alerts about our certificate.
func isClientCertificateError(err error) bool {
	var alert tls.AlertError
	if !errors.As(err, &alert) {
		return false
	}
	switch uint8(alert) {
	case 42, 43, 44, 45, 46, 48, 116: // bad, unsupported, revoked, expired, unknown, unknown CA, required
		return true
	}
	return false
}

func isNetworkError(err error) bool {
	var netError net.Error
	var dns *net.DNSError
	return errors.As(err, &netError) || errors.As(err, &dns) || errors.Is(err, context.DeadlineExceeded) ||
		IsRefused(err) || errors.Is(err, errReset) ||
		strings.HasSuffix(err.Error(), "EOF")
}

// IsRefused tells whether nothing listens at the address that was dialled.
func IsRefused(err error) bool { return errors.Is(err, errRefused) }

func serverHint(err error) string {
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns) && !dns.IsTimeout:
		return fmt.Sprintf("The name %s cannot be resolved: check the server address, the VPN and the DNS.", dns.Name)
	case IsRefused(err):
		return "Nothing listens there: check the server address and whether the API server runs."
	case isTimeout(err):
		return "Nothing answers there: check the VPN, the proxy and the firewall."
	}
	return "Check the network between this machine and the API server."
}

func isTimeout(err error) bool {
	var netError net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &netError) && netError.Timeout()
}

func isMissingFile(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// Unsent tells of an error of a request that certainly never reached the server: it was
// refused here, it had no credentials, or no connection came to be.
func Unsent(err error) bool {
	var dial *net.OpError
	return errors.Is(err, ErrReadOnly) || IsPluginError(err) || errors.As(err, &dial) && dial.Op == "dial"
}
