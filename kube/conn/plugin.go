package conn

import (
	"os"
	"reflect"
	"sync"

	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// client-go keeps one authenticator per plugin configuration for the life of
// the process, with the credentials it got and a pointer to the configuration
// that it was made with. It reads from there, at each call, whether it may
// prompt. So the same configuration must be the same value here: a copy with
// another setting would be another authenticator and a second log-in.
var (
	pluginsMu sync.Mutex
	plugins   []*clientcmdapi.ExecConfig
)

// allowPrompts returns the one value of a plugin's configuration, with prompts
// allowed.
func allowPrompts(p *clientcmdapi.ExecConfig) *clientcmdapi.ExecConfig {
	pluginsMu.Lock()
	defer pluginsMu.Unlock()
	for _, known := range plugins {
		if samePlugin(known, p) {
			known.StdinUnavailable, known.StdinUnavailableMessage = false, ""
			return known
		}
	}
	plugins = append(plugins, p)
	return p
}

// forbidPrompts makes a plugin fail instead of prompting from now on: the
// keyboard belongs to the screen.
func forbidPrompts(p *clientcmdapi.ExecConfig) {
	if p == nil {
		return
	}
	pluginsMu.Lock()
	defer pluginsMu.Unlock()
	p.StdinUnavailable, p.StdinUnavailableMessage = true, "log in again outside of kdrain-tui"
}

func samePlugin(a, b *clientcmdapi.ExecConfig) bool {
	x, y := *a, *b
	x.StdinUnavailable, x.StdinUnavailableMessage = y.StdinUnavailable, y.StdinUnavailableMessage
	return reflect.DeepEqual(x, y)
}

// capturePlugin puts a pipe in the place of standard error while the clients
// are built: client-go hands the standard error of that moment to credential
// plugins for good, and once a screen is open they must not write into it.
func capturePlugin(config *rest.Config) (restore func(), err error) {
	if config.ExecProvider == nil {
		return func() {}, nil
	}
	output, err := thePluginOutput()
	if err != nil {
		return nil, err
	}
	terminal := os.Stderr
	os.Stderr = output.writer
	return func() { os.Stderr = terminal }, nil
}

// OnPluginOutput sends what credential plugins print to fn, line by line and
// cleaned, instead of to standard error (nil: back there). A face calls it
// before it opens a screen.
func (c *Cluster) OnPluginOutput(fn func(line string)) {
	if c.target.config.ExecProvider == nil {
		return
	}
	if output, err := thePluginOutput(); err == nil {
		output.redirect(fn)
	}
}
