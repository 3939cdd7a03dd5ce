package job

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/kdrain-tui/kdrain-tui/drain/format"
)

// imageRepository is that of the image that a release publishes.
const imageRepository = "ghcr.io/kdrain-tui/kdrain-tui"

// released matches the versions that have an image.
var released = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-(alpha|beta|rc)[.0-9]*)?$`)

// Image is the image of a version of the program, "" for one that was not released.
func Image(version string) string {
	if !released.MatchString(version) {
		return ""
	}
	return imageRepository + ":" + version
}

// Check judges the names that only the Job has.
func (s *Spec) Check() error {
	if strings.TrimSpace(s.Image) != s.Image {
		return fmt.Errorf("--image=%q: must not begin or end with a space", s.Image)
	}
	var wrong []error
	for _, node := range s.Nodes {
		wrong = append(wrong, named("node", node, validation.IsDNS1123Subdomain(node)))
	}
	wrong = append(wrong, named("--namespace", s.Namespace, validation.IsDNS1123Label(s.Namespace)),
		named("--service-account", s.ServiceAccount, validation.IsDNS1123Subdomain(s.ServiceAccount)))
	return errors.Join(wrong...)
}

// named says what is wrong with a name, in the words of Kubernetes.
func named(what, name string, wrong []string) error {
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("%s %q: %s", what, name, wrong[0])
}

// Line is the command line of the Job as it is typed.
func (s *Spec) Line() string {
	typed := make([]string, len(s.Args))
	for i, arg := range s.Args {
		typed[i] = format.ShellWord(arg)
	}
	return strings.Join(typed, " ")
}
