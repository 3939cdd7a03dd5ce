//go:build lab

package kubetest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

func LabSetting(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("%s is not set: these tests need a lab (make test ONLY=lab)", name)
	}
	return value
}

func LabCommand(ctx context.Context, t *testing.T, verb, component string) error {
	output, err := exec.CommandContext(ctx, LabSetting(t, "KDRAIN_LAB"), verb, "--dir",
		LabSetting(t, "KDRAIN_LAB_DIR"), component).CombinedOutput()
	if err != nil {
		return fmt.Errorf("lab %s %s: %w: %s", verb, component, err, output)
	}
	return nil
}
