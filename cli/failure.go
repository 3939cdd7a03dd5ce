package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/kdrain-tui/kdrain-tui/app"
	"github.com/kdrain-tui/kdrain-tui/kube"
)

// failure is an error as the operator gets it: what was tried on what and what
// came of it, what can be done about it, and the exit code.
type failure struct {
	code int
	text string
	hint string // may have several lines
	err  error  // the cause, nil if there is none
}

func (f *failure) Error() string {
	if f.err == nil {
		return f.text
	}
	if f.text == "" {
		return f.err.Error()
	}
	return f.text + ": " + f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

// usage is a failure of the command line itself.
func usage(hint, format string, args ...any) error {
	return &failure{code: ExitUsage, text: fmt.Sprintf(format, args...), hint: hint}
}

// told is a failure that was already explained: only its code is left.
func told(code int) error {
	if code == ExitDone {
		return nil
	}
	return &failure{code: code}
}

// codeOf is the exit code of an error that a command returned.
func codeOf(err error) int {
	var f *failure
	var a *app.Error
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &f):
		return f.code
	case errors.As(err, &a) && a.Reason == app.ReasonForbidden:
		return ExitPermission
	case errors.As(err, &a) && a.Reason == app.ReasonUsage:
		return ExitUsage
	}
	return ExitError
}

// explain writes an error with its hint, each line safe to print.
func explain(w io.Writer, err error) {
	text, hint := err.Error(), ""
	var f *failure
	if errors.As(err, &f) {
		hint = f.hint
	}
	var a *app.Error
	if hint == "" && errors.As(err, &a) {
		hint = a.Hint
	}
	var connect *kube.ConnectError
	if hint == "" && errors.As(err, &connect) {
		hint = connect.Hint
	}
	if text == "" {
		return
	}
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		prefix := "       "
		if i == 0 {
			prefix = "error: "
		}
		fmt.Fprintln(w, prefix+kube.Clean(line))
	}
	for line := range strings.Lines(hint) {
		fmt.Fprintln(w, "  "+kube.Clean(strings.TrimRight(line, "\n")))
	}
}
