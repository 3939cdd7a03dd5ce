package cli

import (
	"bytes"
	"strings"
	"testing"
)

func TestYesIsToldWhatThePlanFoundBeforeTheRun(t *testing.T) {
	b := newBench(t, smallCluster())
	b.script(happyRun())
	b.expect(t, ExitDone, []string{"Warning: only one replica, down until its replacement is Ready: ReplicaSet shop/api\n", " status shows its progress"}, append(drainWorker1, "--yes")...)
	if i := strings.Index(b.err.String(), "only one replica"); i < 0 || i > strings.Index(b.err.String(), "status shows") {
		t.Errorf("the run began first:\n%s", b.err)
	}
	b = newBench(t, smallCluster())
	b.script(happyRun())
	b.expect(t, ExitDone, nil, append(drainWorker1, "--yes", "-o", "json")...)
	if bytes.Contains(b.err.Bytes(), []byte("status shows")) {
		t.Errorf("JSON has the run in its first event:\n%s", b.err)
	}
}
