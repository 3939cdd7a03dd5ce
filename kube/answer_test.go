package kube

import "testing"

// The rows are answers of API servers (apimachinery pkg/api/errors, apiserver
// pkg/endpoints/handlers/responsewriters), of admission and of proxies before them.
func TestClassOfAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answer Answer
		want   AnswerClass
	}{
		"created":                     {Answer{Code: 201}, AnswerDone},
		"ok":                          {Answer{Code: 200}, AnswerDone},
		"no such node":                {Answer{Code: 404, Reason: "NotFound", Message: `nodes "a" not found`}, AnswerGone},
		"no such budget":              {Answer{Code: 404, Reason: "NotFound", Message: `poddisruptionbudgets.policy "b" not found`}, AnswerGone},
		"404 of another object":       {Answer{Code: 404, Message: `clusters.management.cattle.io "c-1" not found`}, AnswerTransient},
		"404 of a proxy":              {Answer{Code: 404, Message: "404 page not found"}, AnswerTransient},
		"404 of a path":               {Answer{Code: 404, Message: "the server could not find the requested resource"}, AnswerTransient},
		"changed":                     {Answer{Code: 409, Message: "the object has been modified"}, AnswerConflict},
		"no right":                    {Answer{Code: 403, Message: `nodes "a" is forbidden: User "u" cannot patch resource "nodes"`}, AnswerForbidden},
		"denied by a webhook":         {Answer{Code: 403, Message: `admission webhook "w" denied the request: no`}, AnswerForbidden},
		"bad request":                 {Answer{Code: 400}, AnswerInvalid},
		"not allowed":                 {Answer{Code: 405}, AnswerInvalid},
		"too large":                   {Answer{Code: 413}, AnswerInvalid},
		"unprocessable":               {Answer{Code: 422}, AnswerInvalid},
		"credentials refused":         {Answer{Code: 401, Message: "Unauthorized"}, AnswerTransient},
		"throttled":                   {Answer{Code: 429}, AnswerTransient},
		"webhook does not answer":     {Answer{Code: 500, Message: `failed calling webhook "w"`}, AnswerTransient},
		"the server starts":           {Answer{Code: 503}, AnswerTransient},
		"the server's own time is up": {Answer{Code: 504}, AnswerTransient},
		"no answer":                   {Answer{Failure: "EOF"}, AnswerTransient},
		"never sent":                  {Answer{Failure: "no route to host", Unsent: true}, AnswerTransient},
		"a redirection":               {Answer{Code: 302}, AnswerTransient},
		"never seen":                  {Answer{Code: 418}, AnswerTransient},
	} {
		if got := c.answer.Class(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
