package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

func newFolder(t *testing.T) *Lab {
	t.Helper()
	lab := &Lab{dir: t.TempDir(), Pace: "fast", Ports: Ports{APIServer: 20001}}
	if err := lab.writeFiles(); err != nil {
		t.Fatal(err)
	}
	return lab
}

func TestKubeconfigNamesThePeopleOfTheLab(t *testing.T) {
	lab := newFolder(t)
	config, err := clientcmd.LoadFromFile(lab.kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	if config.CurrentContext != "lab" {
		t.Errorf("current context is %q", config.CurrentContext)
	}
	for context, user := range map[string]string{"lab": "ada", "restricted": "restricted", "viewer": "viewer"} {
		if have := config.Contexts[context]; have == nil || have.AuthInfo != user || have.Cluster != "lab" {
			t.Errorf("context %s is %+v, not of user %s", context, have, user)
		}
	}
	if len(config.AuthInfos) != 3 {
		t.Errorf("%d users instead of the three people: the machinery has files of its own", len(config.AuthInfos))
	}
	cluster := config.Clusters["lab"]
	if cluster.Server != "https://127.0.0.1:20001" || cluster.InsecureSkipTLSVerify || len(cluster.CertificateAuthorityData) == 0 {
		t.Errorf("cluster is %s, skips verification %t", cluster.Server, cluster.InsecureSkipTLSVerify)
	}
}

func TestTokensBelongToTheRightGroups(t *testing.T) {
	lab := newFolder(t)
	file, err := os.Open(lab.path("pki", "tokens.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.LoadFromFile(lab.kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, row := range rows {
		token, user, groups := row[0], row[1], row[3]
		if seen[token] || len(token) < 20 {
			t.Errorf("the token of %s is used twice or can be guessed", user)
		}
		seen[token] = true
		person := config.AuthInfos[user]
		if (person != nil) != (groups == "lab:people") {
			t.Errorf("%s has groups %s", user, groups)
		}
		if person != nil && person.Token != token {
			t.Errorf("%s has another token in the kubeconfig", user)
		}
	}
	if len(rows) != len(identities) {
		t.Errorf("%d tokens for %d identities", len(rows), len(identities))
	}
}

func TestOnlyTheOwnerCanReadWhatLetsOneIn(t *testing.T) {
	lab := newFolder(t)
	err := filepath.WalkDir(lab.dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if info.Mode().IsRegular() && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o", entry.Name(), info.Mode().Perm())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestServingCertificateIsGoodForLoopback(t *testing.T) {
	lab := newFolder(t)
	pair, err := tls.LoadX509KeyPair(lab.path("pki", "serving.crt"), lab.path("pki", "serving.key"))
	if err != nil {
		t.Fatal(err)
	}
	authority, err := os.ReadFile(lab.path("pki", "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	for _, name := range []string{"127.0.0.1", "localhost"} {
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{DNSName: name, Roots: roots}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
