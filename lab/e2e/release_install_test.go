//go:build e2e && release

package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// installed is somebody who has the archive for this machine, kubectl and a kubeconfig,
// and nothing else of ours.
type installed struct {
	*operator
	archive string // unpacked
	path    string // the folder in PATH
}

// install installs the archive as krew does: what the manifest names is unpacked, and
// its program linked into PATH under the plugin's name. README installs it under its own.
func install(t *testing.T, world *world) installed {
	t.Helper()
	plugin := readManifest(t)
	o := installed{world.operator(t), t.TempDir(), t.TempDir()}
	for _, p := range plugin.Spec.Platforms {
		if p.Selector.MatchLabels["os"] != runtime.GOOS || p.Selector.MatchLabels["arch"] != runtime.GOARCH {
			continue
		}
		unpack(t, archiveOf(t, p), o.archive)
		for _, name := range []string{"kubectl-" + plugin.Metadata.Name, "kdrain-tui"} {
			if err := os.Symlink(filepath.Join(o.archive, p.Bin), filepath.Join(o.path, name)); err != nil {
				t.Fatal(err)
			}
		}
		kubectl := "#!/bin/sh\nexec " + labBin + " kubectl --dir " + world.dir + " \"$@\"\n"
		if err := os.WriteFile(filepath.Join(o.path, "kubectl"), []byte(kubectl), 0o755); err != nil {
			t.Fatal(err)
		}
		o.env = append(o.env, "PATH="+o.path+":/usr/bin:/bin")
		return o
	}
	t.Fatalf("the manifest has no archive for %s/%s: %+v", runtime.GOOS, runtime.GOARCH, plugin.Spec.Platforms)
	return o
}

// types runs a line as it is typed into a shell.
func (o installed) types(t *testing.T, shell, line string) string {
	t.Helper()
	cmd := exec.Command(shell, "-c", line)
	cmd.Env, cmd.Dir = o.environment(), o.archive
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, text)
	}
	return string(text)
}

// stamped is what a program of a release says of itself.
var stamped = regexp.MustCompile(`^kubectl kdrain version v[0-9.]+[^ ]* \(commit [0-9a-f]{40}\)\n$`)

func TestReleaseAsAPlugin(t *testing.T) {
	world := sharedWorld(t)
	o := install(t, world)
	before := world.versions(t)
	if text := o.types(t, "sh", "kubectl kdrain --version"); !stamped.MatchString(text) {
		t.Errorf("--version: %s", text)
	}
	plan := o.types(t, "sh", "kubectl kdrain plan worker-a1 --ignore-daemonsets --delete-emptydir-data")
	if !strings.Contains(plan, "Plan for worker-a1") {
		t.Errorf("the plan:\n%s", plan)
	}
	if help := o.types(t, "sh", "kubectl kdrain plan --help"); !strings.Contains(help, "\n  kubectl kdrain plan worker-1") {
		t.Errorf("the examples are not what a user of kubectl types:\n%s", help)
	}
	world.unchanged(t, before)
}

// firstDrain reads the commands of README's first drain, each by its verb.
func firstDrain(t *testing.T, readme string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## First drain\n")
	section, _, ended := strings.Cut(section, "\n## ")
	if !found || !ended {
		t.Fatal("README.md has no first drain")
	}
	commands := map[string]string{}
	for line := range strings.Lines(section) {
		if typed, isCode := strings.CutPrefix(line, "    kdrain-tui "); isCode {
			typed, _, _ = strings.Cut(typed, " #")
			verb, _, _ := strings.Cut(strings.TrimSpace(typed), " ")
			commands[verb] = "kdrain-tui " + strings.ReplaceAll(strings.TrimSpace(typed), "worker-1", "worker-a1")
		}
	}
	return commands
}

// archiveLine is the command of docs/install.md for an archive, linkLine the one that makes
// the plugin of kubectl.
var (
	archiveLine = regexp.MustCompile("\\| an archive \\| `([^`]+)` \\|")
	linkLine    = regexp.MustCompile(`(?m)^    (sudo ln -s .*)$`)
)

// newcomer is somebody with an archive, kubectl, a kubeconfig in its usual place and an
// empty home, who installs the program by the commands of docs/install.md.
func newcomer(t *testing.T, world *world) installed {
	t.Helper()
	o := installed{world.operator(t), t.TempDir(), t.TempDir()}
	o.env = []string{"PATH=" + o.path + ":/usr/bin:/bin", "KUBECONFIG=", "XDG_STATE_HOME=", "XDG_CONFIG_HOME="}
	kubectl, err := filepath.Abs(filepath.Join("..", "bin", "kubectl"))
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(world.kubeconfig)
	err = errors.Join(err, os.Symlink(kubectl, filepath.Join(o.path, "kubectl")), os.Mkdir(filepath.Join(o.home, ".kube"), 0o700))
	if err != nil {
		t.Fatal(err)
	}
	o.file(".kube/config", string(config))
	archives, err := filepath.Glob(filepath.Join(dist, "kdrain-tui_*_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz"))
	if err != nil || len(archives) != 1 {
		t.Fatalf("archives for this machine: %q, %v", archives, err)
	}
	archive, err := filepath.Abs(archives[0])
	if err != nil {
		t.Fatal(err)
	}
	unpack(t, archive, o.archive)
	page, err := os.ReadFile(filepath.Join(o.archive, "docs", "install.md"))
	if err != nil {
		t.Fatal(err)
	}
	here := strings.NewReplacer("kdrain-tui_VERSION_linux_amd64.tar.gz", archive, "sudo ", "", "/usr/local/bin", o.path)
	for _, line := range []*regexp.Regexp{archiveLine, linkLine} {
		found := line.FindSubmatch(page)
		if found == nil {
			t.Fatalf("docs/install.md has no %s", line)
		}
		o.types(t, "sh", here.Replace(string(found[1])))
	}
	return o
}

// A newcomer follows install.md and README at a terminal: plan, drain, report, rollback,
// uncordon and the dashboard.
func TestReleaseByReadme(t *testing.T) {
	world := ownWorld(t)
	o := newcomer(t, world)
	commands := firstDrain(t, filepath.Join(o.archive, "README.md"))
	for _, verb := range []string{"plan", "drain", "report", "rollback", "uncordon"} {
		if commands[verb] == "" {
			t.Fatalf("README has no %s: %v", verb, commands)
		}
	}
	before := world.versions(t)
	if text := o.types(t, "sh", "kubectl kdrain --version"); !strings.HasPrefix(text, "kubectl kdrain version v") {
		t.Errorf("the plugin: %s", text)
	}
	if plan := o.types(t, "sh", commands["plan"]); !strings.Contains(plan, "Plan for worker-a1") {
		t.Errorf("the plan:\n%s", plan)
	}
	world.unchanged(t, before)

	term := o.shell(120, 40)
	term.enters("clear; " + commands["drain"])
	term.answers("Cordon worker-a1? [y/N]", "y")
	term.answers("Type worker-a1 to continue", "worker-a1")
	if code, s := term.ended(); code != 0 || !s.shows("Drained worker-a1", "afterwards", "uncordon worker-a1") {
		t.Fatalf("the drain ended with %d\n%s", code, framed(s))
	}
	world.onlyDaemonsLeft(t, "worker-a1")
	runs := decode[[]struct{ Run, Outcome string }](t, o.types(t, "sh", "kdrain-tui runs -o json"))
	if len(runs) != 1 || runs[0].Outcome != "done" {
		t.Fatalf("runs: %+v", runs)
	}
	if report := o.types(t, "sh", commands["report"]); !strings.Contains(report, "Drained worker-a1") {
		t.Errorf("the report:\n%s", report)
	}
	term.enters("clear; " + strings.ReplaceAll(commands["rollback"], "RUN", runs[0].Run))
	term.answers("Undo it? [y/N]", "y")
	if code, s := term.ended(); code != 0 || world.node(t, "worker-a1").Spec.Unschedulable {
		t.Errorf("the rollback ended with %d\n%s", code, framed(s))
	}
	o.types(t, "sh", "kdrain-tui cordon worker-a1 && "+commands["uncordon"])
	if world.node(t, "worker-a1").Spec.Unschedulable {
		t.Error("worker-a1 is still cordoned after uncordon")
	}
	if _, err := os.Stat(filepath.Join(o.home, ".local", "state", "kdrain-tui", "runs", runs[0].Run+".jsonl")); err != nil {
		t.Errorf("the journal is not where install.md says: %v", err)
	}

	before = world.versions(t)
	term.enters("clear; kdrain-tui")
	term.waitFor("A DRAIN WOULD", "worker-a1")
	term.keys("Space", "D")
	term.waitFor("Plan", "control-1")
	term.keys("q")
	if code, s := term.ended(); code != 0 {
		t.Errorf("the dashboard ended with %d\n%s", code, framed(s))
	}
	world.unchanged(t, before)
}

// The completions of the archive work in the shells that are here, also as install.md has
// it; the man pages are pages.
func TestReleaseCompletion(t *testing.T) {
	o := install(t, sharedWorld(t))
	needs := func(t *testing.T, program, file string) {
		t.Helper()
		_, err := exec.LookPath(program)
		if _, missing := os.Stat(file); err != nil || missing != nil {
			t.Skipf("%s or %s is not here", program, file)
		}
	}
	const library = "/usr/share/bash-completion/bash_completion"
	for _, source := range []string{"source completions/kdrain-tui.bash", "source <(kdrain-tui completion bash)"} {
		t.Run("bash: "+source, func(t *testing.T) {
			needs(t, "bash", library)
			text := o.types(t, "bash", "source "+library+"; "+source+`
				COMP_WORDS=(kdrain-tui drain worker-a) COMP_CWORD=2 COMP_LINE='kdrain-tui drain worker-a' COMP_TYPE=9 COMP_KEY=9
				COMP_POINT=${#COMP_LINE}; __start_kdrain-tui; printf '%s\n' "${COMPREPLY[@]}"`)
			if !strings.Contains(text, "worker-a1\n") || strings.Contains(text, "worker-b") {
				t.Errorf("worker-a is completed to %q", text)
			}
		})
	}
	t.Run("fish", func(t *testing.T) {
		needs(t, "fish", "/")
		text := o.types(t, "fish", "source completions/kdrain-tui.fish; complete -C 'kdrain-tui drain worker-a'")
		if !strings.Contains(text, "worker-a1\n") || strings.Contains(text, "worker-b") {
			t.Errorf("worker-a is completed to %q", text)
		}
	})
	t.Run("zsh", func(t *testing.T) {
		needs(t, "zsh", "/")
		text := o.types(t, "zsh", `fpath=(completions $fpath); autoload -U compinit; compinit -D -u; autoload -U +X _kdrain-tui && print -r -- $_comps[kdrain-tui]`)
		if strings.TrimSpace(text) != "_kdrain-tui" {
			t.Errorf("zsh completes kdrain-tui by %q", text)
		}
	})
	t.Run("man", func(t *testing.T) {
		needs(t, "man", "/")
		text := o.types(t, "sh", "MANWIDTH=100 man -l -P cat man/kdrain-tui-drain.1 | col -b")
		for _, part := range []string{"KDRAIN-TUI", "SYNOPSIS", "--ignore-daemonsets", "SEE ALSO"} {
			if !strings.Contains(text, part) {
				t.Errorf("the page has no %q:\n%s", part, text)
			}
		}
	})
}

// The packages unpack to what a user of them expects, and the program in them runs.
func TestReleasePackages(t *testing.T) {
	for _, kind := range []struct{ suffix, needs, unpack string }{
		{".deb", "dpkg-deb", `dpkg-deb -x "$1" .`},
		{".rpm", "rpm2cpio cpio", `rpm2cpio "$1" | cpio -idm --quiet --no-absolute-filenames`},
	} {
		t.Run(kind.suffix, func(t *testing.T) {
			packages, err := filepath.Glob(filepath.Join(dist, "*_"+runtime.GOARCH+kind.suffix))
			if err != nil || len(packages) != 1 {
				t.Fatalf("packages in %s: %v, %v", dist, packages, err)
			}
			for _, program := range strings.Fields(kind.needs) {
				if _, err := exec.LookPath(program); err != nil {
					t.Skip(err)
				}
			}
			file, err := filepath.Abs(packages[0])
			if err != nil {
				t.Fatal(err)
			}
			root := t.TempDir()
			cmd := exec.Command("sh", "-c", kind.unpack, "sh", file)
			cmd.Dir = root
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", kind.unpack, err, text)
			}
			for _, name := range []string{
				"usr/share/man/man1/kdrain-tui.1", "usr/share/bash-completion/completions/kdrain-tui",
				"usr/share/zsh/site-functions/_kdrain-tui", "usr/share/fish/vendor_completions.d/kdrain-tui.fish",
				"usr/bin/kubectl_complete-kdrain", "usr/share/doc/kdrain-tui/CHANGELOG.md", "usr/share/doc/kdrain-tui/copyright", "usr/share/doc/kdrain-tui/deploy/job.yaml", "usr/share/doc/kdrain-tui/deploy/rbac/job.yaml",
			} {
				if _, err := os.Stat(filepath.Join(root, name)); err != nil {
					t.Error(err)
				}
			}
			if to, err := os.Readlink(filepath.Join(root, "usr/bin/kubectl-kdrain")); err != nil || to != "/usr/bin/kdrain-tui" {
				t.Errorf("kubectl-kdrain is a link to %q: %v", to, err)
			}
			text, err := exec.Command(filepath.Join(root, "usr/bin/kdrain-tui"), "completion", "bash").Output()
			if err != nil {
				t.Fatal(err)
			}
			have, err := os.ReadFile(filepath.Join(root, "usr/share/bash-completion/completions/kdrain-tui"))
			if err != nil || string(text) != string(have) {
				t.Errorf("the completion of the package is not that of its program: %v", err)
			}
		})
	}
}
