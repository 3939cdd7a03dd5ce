package node

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// Install writes what is the machine's own on its disk, before it is first switched on. kubeconfig is the access of its
// kubelet, authority the certificate of whoever may call that kubelet.
func (m Machine) Install(kubeconfig, authority []byte) error {
	if err := os.MkdirAll(filepath.Join(m.path("upper"), "etc/kubernetes/manifests"), 0o755); err != nil {
		return fmt.Errorf("install %s: %w", m.Name, err)
	}
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		return fmt.Errorf("choose an id for %s: %w", m.Name, err)
	}
	for name, text := range map[string]string{
		"etc/hostname":                m.Name + "\n",
		"etc/machine-id":              hex.EncodeToString(id) + "\n",
		"etc/hosts":                   "127.0.0.1 localhost\n" + m.address() + " " + m.Name + "\n",
		"etc/default/kubelet":         "ADDRESS=" + m.address() + "\n",
		"etc/kubernetes/kubelet.conf": string(kubeconfig),
		"etc/kubernetes/ca.crt":       string(authority),
		"etc/cni/net.d/10-lab.conflist": fmt.Sprintf(`{"cniVersion": "1.0.0", "name": "lab", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "10.78.%d.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}}
]}
`, m.Number),
	} {
		file := filepath.Join(m.path("upper"), name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("install %s: %w", m.Name, err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return fmt.Errorf("install %s: %w", m.Name, err)
		}
	}
	return nil
}
