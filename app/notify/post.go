package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// mostRead is how much of an answer is read; none of it is told.
const mostRead = 4096

// post sends the notice to the URL. Its path and query are often a secret: no error has them.
func (s *Sender) post(ctx context.Context, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.target, bytes.NewReader(body))
	if err != nil {
		return errors.New("its URL cannot be used")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "kdrain-tui")
	// Each has its own connection: they come minutes apart.
	client := http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answer, err := client.Do(request)
	if err != nil {
		var where *url.Error
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		} else if errors.As(err, &where) {
			err = where.Err
		}
		return fmt.Errorf("%s: %w", request.URL.Hostname(), err)
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, mostRead)
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s answered %d", request.URL.Hostname(), answer.StatusCode)
	}
	return nil
}
