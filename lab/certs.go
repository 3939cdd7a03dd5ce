package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

// writeCerts makes an authority for this lab alone, a serving certificate for
// loopback that all components share, and the key for service account tokens.
// The key of the authority is thrown away: nothing else is ever to be signed.
func (l *Lab) writeCerts() error {
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 100))
	if err != nil {
		return fmt.Errorf("make a serial number: %w", err)
	}
	begin, end := time.Now().Add(-time.Hour), time.Now().AddDate(1, 0, 0)
	authority := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "kdrain-tui lab"},
		NotBefore: begin, NotAfter: end,
		IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	if err := l.writeCert("ca.crt", authority, authority, &authorityKey.PublicKey, authorityKey); err != nil {
		return err
	}
	servingKey, err := l.writeKey("serving.key")
	if err != nil {
		return err
	}
	serving := &x509.Certificate{
		SerialNumber: new(big.Int).Add(serial, big.NewInt(1)), Subject: pkix.Name{CommonName: "kube-apiserver"},
		NotBefore: begin, NotAfter: end,
		DNSNames: []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
		// 10.0.0.1 is the address of the service `kubernetes`.
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 0, 0, 1)},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if err := l.writeCert("serving.crt", serving, authority, &servingKey.PublicKey, authorityKey); err != nil {
		return err
	}
	kubeletClientKey, err := l.writeKey("kubelet-client.key")
	if err != nil {
		return err
	}
	kubeletClient := &x509.Certificate{
		SerialNumber: new(big.Int).Add(serial, big.NewInt(2)),
		// As kubeadm has it; to kubelets it may do everything.
		Subject:   pkix.Name{CommonName: "kube-apiserver-kubelet-client", Organization: []string{"system:masters"}},
		NotBefore: begin, NotAfter: end,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	err = l.writeCert("kubelet-client.crt", kubeletClient, authority, &kubeletClientKey.PublicKey, authorityKey)
	if err != nil {
		return err
	}
	_, err = l.writeKey("service-accounts.key")
	return err
}

func (l *Lab) writeKey(name string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", name, err)
	}
	return key, l.writePEM(name, "EC PRIVATE KEY", der)
}

func (l *Lab) writeCert(name string, cert, parent *x509.Certificate, key *ecdsa.PublicKey,
	signer *ecdsa.PrivateKey) error {
	der, err := x509.CreateCertificate(rand.Reader, cert, parent, key, signer)
	if err != nil {
		return fmt.Errorf("sign %s: %w", name, err)
	}
	return l.writePEM(name, "CERTIFICATE", der)
}

func (l *Lab) writePEM(name, kind string, der []byte) error {
	data := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	if err := os.WriteFile(l.path("pki", name), data, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
