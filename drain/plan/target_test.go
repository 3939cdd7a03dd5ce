package plan

import (
	"testing"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// A printed command does the same in any shell, and has its target once.
func TestTargetOfCommands(t *testing.T) {
	prod := Target{Context: "my prod"}
	all := Target{Program: "kubectl kdrain", Kubeconfig: "/k/other.yaml", Context: "prod", Others: []string{"--as=ada lovelace", "--as-group=a"}}
	flags := "--kubeconfig=/k/other.yaml --context=prod --as='ada lovelace' --as-group=a "
	for _, c := range []struct {
		target        Target
		command, want string
	}{
		{prod, "kubectl delete pod -n web x", "kubectl --context='my prod' delete pod -n web x"},
		{Target{}, "kubectl delete pod x", "kubectl delete pod x"},
		{prod, "", ""},
		{prod, "--ignore-daemonsets", "--ignore-daemonsets"},
		{prod, "kdrain-tui uncordon worker", "kdrain-tui --context='my prod' uncordon worker"},
		{prod, "kdrain-tui report k7f3", "kdrain-tui report k7f3"},
		{all, "kubectl get nodes", "kubectl " + flags + "get nodes"},
		{all, "kdrain-tui rollback k7f3", "kubectl kdrain " + flags + "rollback k7f3"},
		{all, "kdrain-tui ctl k7f3 abort", "kubectl kdrain ctl k7f3 abort"},
	} {
		got := c.target.Line(c.command)
		if got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
		if c.target.Program == "" && c.target.Line(got) != got {
			t.Errorf("twice: %s", c.target.Line(got))
		}
	}
	want := "kubectl kdrain drain worker " + flags + "--force"
	o := DefaultOptions()
	o.Force, o.LeaseNamespace = true, kube.DefaultLeaseNamespace
	if got := all.Drain([]string{"worker"}, o); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
