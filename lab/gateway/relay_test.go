package gateway

import (
	"crypto/x509"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// A relay counts the bytes of the answers, keeps the certificate of the server valid, and
// ends the connections through it.
func TestRelay(t *testing.T) {
	const size = 100_000
	held := make(chan struct{})
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/held" {
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			close(held)
			<-r.Context().Done()
			return
		}
		_, _ = w.Write(make([]byte, size))
	}))
	defer server.Close()
	relay, err := StartRelay(kubeconfigOf(t, server.URL, server.Certificate()))
	if err != nil {
		t.Fatal(err)
	}
	defer relay.Close()
	through := filepath.Join(t.TempDir(), "through")
	if err := relay.Kubeconfig(through); err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", through)
	if err != nil {
		t.Fatal(err)
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Get(config.Host + "/all")
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(answer.Body); err != nil || len(body) != size {
		t.Fatalf("%d bytes, %v", len(body), err)
	}
	if read := relay.Read(); read < size || read > 2*size {
		t.Errorf("counted %d bytes of an answer with %d", read, size)
	}
	waiting, err := client.Get(config.Host + "/held")
	if err != nil {
		t.Fatal(err)
	}
	<-held
	relay.Close()
	if _, err := io.ReadAll(waiting.Body); err == nil {
		t.Error("an answer that goes on ended well when the relay was closed")
	}
	if _, err := client.Get(config.Host + "/all"); err == nil {
		t.Error("the relay answers after its end")
	}
}

func kubeconfigOf(t *testing.T, server string, certificate *x509.Certificate) string {
	t.Helper()
	config := api.NewConfig()
	config.Clusters["c"] = &api.Cluster{Server: server,
		CertificateAuthorityData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})}
	config.Contexts["c"], config.CurrentContext = &api.Context{Cluster: "c"}, "c"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}
