package audit

import (
	"os"
	"path/filepath"
	"testing"
)

// The server may be writing a line while the end is asked for: that line is read from there.
func TestEndIsBehindTheLastWholeLine(t *testing.T) {
	log := filepath.Join(t.TempDir(), "audit.log")
	if at, err := End(log); err != nil || at != 0 {
		t.Fatalf("no log: %d, %v", at, err)
	}
	const first, second = `{"kind":"Event","auditID":"1","verb":"create"}` + "\n", `{"kind":"Event","auditID":"2","verb":"delete"}` + "\n"
	for name, half := range map[string]string{"whole": "", "half": second[:20]} {
		if err := os.WriteFile(log, []byte(first+half), 0o600); err != nil {
			t.Fatal(err)
		}
		from, err := End(log)
		if err != nil || from != int64(len(first)) {
			t.Fatalf("%s: the end is at %d, %v", name, from, err)
		}
		if err := os.WriteFile(log, []byte(first+second), 0o600); err != nil {
			t.Fatal(err)
		}
		requests, _, err := Read(log, from)
		if err != nil || len(requests) != 1 || requests[0].Verb != "delete" {
			t.Errorf("%s: %+v, %v", name, requests, err)
		}
	}
}
