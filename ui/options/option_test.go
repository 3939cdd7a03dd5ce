package options

import (
	"strings"
	"testing"
	"time"

	"github.com/kdrain-tui/kdrain-tui/drain/plan"
	"github.com/kdrain-tui/kdrain-tui/ui/wording"
)

func TestSwitchesSwitch(t *testing.T) {
	base := plan.DefaultOptions()
	for i, o := range optionsOf(base) {
		if !o.Switch {
			continue
		}
		once, err := o.Toggle(base)
		if err != nil {
			t.Errorf("--%s: %v", o.Flag, err)
			continue
		}
		twice, err := optionsOf(once)[i].Toggle(once)
		if err != nil || optionsOf(once)[i].On == o.On || optionsOf(twice)[i].On != o.On {
			t.Errorf("--%s does not switch: %v", o.Flag, err)
		}
		if !strings.Contains(wording.OptionWords(once), "--"+o.Flag) {
			t.Errorf("--%s is on, and the plan says only %s", o.Flag, wording.OptionWords(once))
		}
	}
}

// A value that is typed replaces the one before; written budgets go with the guard.
func TestOptionsOfTheirValues(t *testing.T) {
	o := plan.DefaultOptions()
	o.Honor, o.Guard, o.GuardWrite = []plan.Honored{plan.HonorClusterAPI, plan.HonorClusterAutoscaler}, "25%", true
	for flag, text := range map[string]string{"honor": " karpenter", "guard": "", "reason": " kernel ", "force-after": "90s"} {
		changed, err := optionOf(t, o, flag).Set(o, text)
		if err != nil {
			t.Errorf("--%s: %v", flag, err)
		}
		o = changed
	}
	if len(o.Honor) != 1 || o.Honor[0] != plan.HonorKarpenter || o.GuardWrite || o.Reason != "kernel" || o.ForceAfter != 90*time.Second {
		t.Errorf("%+v", o)
	}
}

func optionOf(t *testing.T, o plan.Options, flag string) *option {
	t.Helper()
	for _, opt := range optionsOf(o) {
		if opt.Flag == flag {
			return &opt
		}
	}
	t.Fatalf("--%s is not on the page", flag)
	return nil
}

func TestOptionsRefuseNonsense(t *testing.T) {
	for _, o := range optionsOf(plan.DefaultOptions()) {
		if o.Switch || o.Flag == "reason" {
			continue
		}
		if changed, err := o.Set(plan.DefaultOptions(), "x y z!"); err == nil {
			t.Errorf("--%s takes nonsense: %+v", o.Flag, changed)
		} else if strings.Contains(err.Error(), "--"+o.Flag+"\"") {
			t.Errorf("--%s: the field is named twice: %v", o.Flag, err)
		}
	}
}

// The default of every option can be typed as its initial text.
func TestOptionsGoBackToTheirDefaults(t *testing.T) {
	o := plan.DefaultOptions()
	o.Honor, o.Guard, o.GuardWrite, o.Force = []plan.Honored{plan.HonorClusterAPI}, "25%", true, true
	o.Reason, o.ForceAfter, o.GracePeriodSeconds, o.Surge = "kernel", time.Minute, 0, "50%"
	for _, changed := range optionsOf(o) {
		if !changed.Changed {
			continue
		}
		back, err := optionOf(t, o, changed.Flag).Set(o, changed.initial)
		if err != nil {
			t.Errorf("--%s: %v", changed.Flag, err)
			continue
		}
		o = back
	}
	if words := wording.OptionWords(o); words != wording.OptionWords(plan.DefaultOptions()) {
		t.Errorf("still %s", words)
	}
}
