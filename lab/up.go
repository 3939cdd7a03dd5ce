package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

//go:embed system/audit-policy.yaml
var auditPolicyYAML []byte

// startPatience is how long a component may take to get ready. It takes two
// seconds; a machine that compiles next to it takes many more.
const startPatience = 90 * time.Second

func up(ctx context.Context, dir string, cmd command, out, log io.Writer) error {
	if _, known := paces[cmd.pace]; !known {
		return usageError{fmt.Sprintf("unknown pace %q: fast or real", cmd.pace)}
	}
	programs, err := controlPlaneOf(cmd.kubernetes)
	switch {
	case err != nil:
		return err
	case cmd.kubernetes != "" && cmd.nodes > 0:
		return usageError{"--nodes and --kubernetes: real nodes are of the version of go.mod"}
	}
	bin, err := programs.ensure(ctx, log)
	if err != nil {
		return err
	}
	layers, err := ensureLayers(ctx, cmd.nodes, log)
	if err != nil {
		return err
	}
	release, err := lockLab(ctx, dir, log)
	if err != nil {
		return err
	}
	defer release()
	lab, err := readLab(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case lab.live():
		return again(ctx, lab, bin, cmd, out, log)
	default:
		// Left over from a lab that was killed or outlived by its machine.
		if warning := lab.abandoned(); warning != "" {
			fmt.Fprintln(log, "lab: "+warning)
		}
		if err := lab.stopAll(ctx, log); err != nil {
			return err
		}
	}
	began := time.Now()
	lab, err = startFresh(ctx, dir, bin, layers, cmd, log)
	if err != nil {
		return err
	}
	fmt.Fprintf(log, "lab: ready in %s\n", time.Since(began).Round(100*time.Millisecond))
	fmt.Fprintln(out, lab.kubeconfig())
	return nil
}

// lockLab keeps two commands from changing one lab at the same time.
func lockLab(ctx context.Context, dir string, log io.Writer) (func(), error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the folder of the lab: %w", err)
	}
	return lockFile(ctx, filepath.Join(dir, ".lock"), func() {
		fmt.Fprintln(log, "lab: waiting for another command on this lab")
	})
}

// live says whether all components run. One that a test stopped on purpose
// makes a lab that is not; it is up to the test to start it again.
func (l *Lab) live() bool {
	for i := range l.Components {
		if !l.Components[i].alive() {
			return false
		}
	}
	return len(l.Components) > 0
}

// abandoned says that the cluster of the lab is about to be replaced, and what would have
// continued it; "" where nothing of it was ever started.
func (l *Lab) abandoned() string {
	var names, commands []string
	for i := range l.Components {
		if c := &l.Components[i]; c.PID != 0 && !c.alive() {
			names, commands = append(names, c.Name), append(commands, "`lab start "+c.Name+"`")
		}
	}
	if len(names) == 0 {
		return ""
	}
	verb := "is"
	if len(names) > 1 {
		verb = "are"
	}
	return fmt.Sprintf("%s of %s %s not running: starting an empty cluster; %s would have continued the old one",
		strings.Join(names, ", "), l.dir, verb, strings.Join(commands, ", "))
}

// again is `up` on a lab that is up already.
func again(ctx context.Context, lab *Lab, bin string, cmd command, out, log io.Writer) error {
	if cmd.set["pace"] && cmd.pace != lab.Pace {
		return fmt.Errorf("the lab in %s runs at pace %s; stop it with `lab down` to change that", lab.dir, lab.Pace)
	}
	if cmd.audit && !lab.Audit {
		return fmt.Errorf("the lab in %s runs without --audit; stop it with `lab down` to change that", lab.dir)
	}
	if cmd.kubernetes != "" && bin != lab.Bin {
		return fmt.Errorf("the lab in %s runs another Kubernetes; stop it with `lab down` to change that", lab.dir)
	}
	if cmd.set["nodes"] && cmd.nodes != len(lab.Nodes) {
		return fmt.Errorf("the lab in %s runs with %d real nodes; stop it with `lab down` to change that", lab.dir,
			len(lab.Nodes))
	}
	for i := range lab.Components {
		if err := lab.waitReady(ctx, &lab.Components[i], nil); err != nil {
			return err
		}
	}
	fmt.Fprintln(log, "lab: already up")
	fmt.Fprintln(out, lab.kubeconfig())
	return nil
}

func startFresh(ctx context.Context, dir, bin string, layers []string, cmd command, log io.Writer) (*Lab, error) {
	for try := 1; ; try++ {
		ports, err := choosePorts()
		if err != nil {
			return nil, err
		}
		lab := &Lab{dir: dir, Bin: bin, Pace: cmd.pace, Audit: cmd.audit, Ports: ports, Layers: layers}
		for i := range cmd.nodes {
			lab.Nodes = append(lab.Nodes, Component{Name: fmt.Sprintf("real-%d", i+1)})
		}
		if err := lab.writeFiles(); err != nil {
			return nil, err
		}
		lab.planComponents()
		if err := lab.save(); err != nil {
			return nil, err
		}
		err = lab.startAll(ctx)
		if err == nil {
			return lab, nil
		}
		// Nothing of a lab that did not come up stays behind, except its logs. That
		// has to happen also where the reason was that we were interrupted.
		if stopErr := lab.stopAll(context.WithoutCancel(ctx), log); stopErr != nil {
			return nil, errors.Join(err, stopErr)
		}
		// Between our look at the ports and the start another program can take one.
		if try == 3 || !strings.Contains(err.Error(), "address already in use") {
			return nil, err
		}
		fmt.Fprintln(log, "lab: a port was taken meanwhile; once more with others")
	}
}

// writeFiles lays out the folder of a new lab. The data of an earlier one goes.
func (l *Lab) writeFiles() error {
	for _, old := range []string{"etcd", "pki", "audit.log", "nodes", "disks"} {
		if err := os.RemoveAll(l.path(old)); err != nil {
			return fmt.Errorf("clear the folder of the lab: %w", err)
		}
	}
	for _, name := range componentNames() {
		if err := os.RemoveAll(l.path(name + ".log")); err != nil {
			return fmt.Errorf("clear the folder of the lab: %w", err)
		}
	}
	if err := os.MkdirAll(l.path("pki"), 0o700); err != nil {
		return fmt.Errorf("create the folder of the keys: %w", err)
	}
	if err := l.writeCerts(); err != nil {
		return err
	}
	if err := l.writeAccess(); err != nil {
		return err
	}
	config, err := stages(l.Pace)
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		"stages.yaml": config, "audit-policy.yaml": auditPolicyYAML, "scheduler.yaml": []byte(l.schedulerConfig()),
		"egress.yaml": []byte(l.egressConfig()),
	} {
		if err := os.WriteFile(l.path(name), data, 0o600); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}

// startAll starts etcd and the API server, then what needs the API server.
func (l *Lab) startAll(ctx context.Context) error {
	for i := range 2 {
		if err := l.startOne(ctx, &l.Components[i]); err != nil {
			return err
		}
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error { return l.installBasics(groupCtx) })
	for i := range l.Components[2:] {
		c := &l.Components[2+i]
		ended, err := l.launchSaved(c)
		if err != nil {
			return errors.Join(err, group.Wait())
		}
		group.Go(func() error { return l.waitReady(groupCtx, c, ended) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	all := make([]int, len(l.Nodes))
	for i := range all {
		all[i] = i
	}
	return l.startNodes(ctx, all...)
}

// startOne starts a component and waits until it is ready.
func (l *Lab) startOne(ctx context.Context, c *Component) error {
	ended, err := l.launchSaved(c)
	if err != nil {
		return err
	}
	return l.waitReady(ctx, c, ended)
}

// launchSaved notes the process at once: whatever happens next, down finds it.
func (l *Lab) launchSaved(c *Component) (<-chan error, error) {
	ended, err := l.launch(c)
	if err != nil {
		return nil, err
	}
	return ended, l.save()
}

// waitReady asks the component for its health until it says yes. A nil channel
// stands for a process that is not our child.
func (l *Lab) waitReady(ctx context.Context, c *Component, ended <-chan error) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	probe, err := l.probe(c.Name)
	if err != nil {
		return err
	}
	for {
		last := probe(ctx)
		if last == nil {
			return nil
		}
		select {
		case err := <-ended:
			return fmt.Errorf("%s ended while it started (%v); the end of its log:\n%s", c.Name, err,
				l.logTail(c.Name, 15))
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w: %w; the end of its log:\n%s", c.Name, context.Cause(ctx), last,
				l.logTail(c.Name, 15))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// probe returns a function that asks a component once whether it is ready.
func (l *Lab) probe(name string) (func(context.Context) error, error) {
	url := map[string]string{
		"etcd":                    "http://" + address(l.Ports.Etcd) + "/health",
		"kube-controller-manager": "https://" + address(l.Ports.ControllerManager) + "/healthz",
		"kube-scheduler":          "https://" + address(l.Ports.Scheduler) + "/readyz",
		"kwok":                    "http://" + address(l.Ports.Kwok) + "/healthz",
	}[name]
	switch name {
	case "attacher":
		return func(context.Context) error { return nil }, nil // waits for the API server by itself
	case "network":
		return func(ctx context.Context) error {
			conn, err := (&net.Dialer{}).DialContext(ctx, "unix", l.egressSocket())
			if err != nil {
				return err
			}
			return conn.Close()
		}, nil
	case "kube-apiserver":
		cluster, err := l.connect("system:lab")
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) error {
			return cluster.rest.Get().AbsPath("/readyz").Do(ctx).Error()
		}, nil
	}
	authority, err := os.ReadFile(l.path("pki", "ca.crt"))
	if err != nil {
		return nil, fmt.Errorf("read the certificate of the lab: %w", err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	client := &http.Client{
		Timeout:   2 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true},
	}
	return func(ctx context.Context) error { return askHealth(ctx, client, url) }, nil
}

func askHealth(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("ask %s: %w", url, err)
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("ask %s: %s", url, response.Status)
	}
	return nil
}
