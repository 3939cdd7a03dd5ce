//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// loginByPlugin gives the operator a kubeconfig whose credentials come from a plugin
// that runs for each request, and that answers nothing while the file is there.
func (o *operator) loginByPlugin(hangs string) {
	o.t.Helper()
	config := decode[map[string]any](o.t, o.world.kubectl(o.t, "config", "view", "--raw", "--flatten", "-o", "json"))
	user := config["users"].([]any)[0].(map[string]any)
	token := user["user"].(map[string]any)["token"].(string)
	plugin := o.file("my-login", fmt.Sprintf("#!/bin/sh\nwhile [ -e %s ]; do sleep 0.1; done\n"+
		`echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"%s","expirationTimestamp":"2020-01-01T00:00:00Z"}}'`+
		"\n", hangs, token))
	if err := os.Chmod(plugin, 0o700); err != nil {
		o.t.Fatal(err)
	}
	user["user"] = map[string]any{"exec": map[string]any{
		"apiVersion": "client.authentication.k8s.io/v1", "command": plugin, "interactiveMode": "Never",
	}}
	text, err := json.Marshal(config)
	if err != nil {
		o.t.Fatal(err)
	}
	o.env = append(o.env, "KUBECONFIG="+o.file("kubeconfig", string(text)))
}

// worker-b3 waits for payments/gateway, which two budgets select; then the credential
// plugin hangs. The run says so, and ends at the first signal with its report.
func credentialPluginHangs(t *testing.T, world *world) {
	operator := world.operator(t)
	hangs := filepath.Join(operator.home, "hangs")
	operator.loginByPlugin(hangs)
	drain := operator.start(with("drain", "worker-b3", "--yes", "-o", "json")...)
	drain.waitFor(patience, `"podState":"MultipleBudgets"`)
	operator.file("hangs", "")
	defer os.Remove(hangs)
	drain.waitFor(patience, "the credential plugin my-login has not answered for ")
	drain.signal(syscall.SIGINT)
	answer := drain.wait(patience)
	answer.exits(t, 128+int(syscall.SIGINT), "interrupted by SIGINT", "node/worker-b3 is left cordoned by this run", "the journal of this run: ")
	if _, report := readLines(t, answer.out); report.Outcome != "aborted" {
		t.Errorf("the report says %q", report.Outcome)
	}
	world.asMachinery(t, "uncordon", "worker-b3")
	// It could not give its Lease back, which would lapse by itself within 30 s.
	world.asMachinery(t, "delete", "leases", "-n", "kube-system", "-l", "app.kubernetes.io/managed-by=kdrain-tui")
}
