//go:build lab

package watch

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kdrain-tui/kdrain-tui/kube"
)

// Every pod has the READY, STATUS and RESTARTS that the server prints for kubectl get pods. Other packages
// change the same lab meanwhile, so a difference has time to go away.
func TestLabPodsAsKubectlPrintsThem(t *testing.T) {
	c := labConnect(t, "")
	w := labWatch(t, c)
	words := map[string]int{}
	until(t, w, "all pods have the words of the server", func(s *kube.Snapshot) bool {
		raw, err := c.Reads().CoreV1().RESTClient().Get().Resource("pods").
			SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").Do(t.Context()).Raw()
		if err != nil {
			t.Fatal(err)
		}
		var table metav1.Table
		if err := json.Unmarshal(raw, &table); err != nil {
			t.Fatal(err)
		}
		clear(words)
		same := len(table.Rows) > 0
		for _, row := range table.Rows {
			var of metav1.PartialObjectMetadata
			if err := json.Unmarshal(row.Object.Raw, &of); err != nil {
				t.Fatal(err)
			}
			// Name, Ready, Status, Restarts; the last one may say when, too.
			restarts, _, _ := strings.Cut(fmt.Sprint(row.Cells[3]), " ")
			want := fmt.Sprint(row.Cells[1], " ", row.Cells[2], " ", restarts)
			words[fmt.Sprint(row.Cells[2])]++
			p := s.Pod(of.UID)
			if p == nil || p.State == nil {
				same = false
				continue
			}
			if got := fmt.Sprintf("%d/%d %s %d", p.State.Ready, p.State.Total, p.Status(), p.State.Restarts); got != want {
				t.Logf("%s/%s: %s, the server says %s", of.Namespace, of.Name, got, want)
				same = false
			}
		}
		return same
	})
	t.Logf("%v", words)
}
