package drain

import "github.com/kdrain-tui/kdrain-tui/kube"

// AnswerWords are what a person should read of an answer.
func AnswerWords(a kube.Answer) string {
	switch {
	case a.Code == 0:
		return a.Failure
	case len(a.Causes) > 0 && a.Causes[0].Message != "" && a.Causes[0].Type != "UnexpectedServerResponse":
		return a.Message + " " + a.Causes[0].Message
	}
	return a.Message
}
