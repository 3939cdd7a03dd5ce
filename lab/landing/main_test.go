//go:build landing

package landing

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	cases = flag.Int("n", 60, "number of random cases")
	seed  = flag.Uint64("seed", 0, "seed of the random numbers, 0 for a fresh one")
	first = flag.Int("world", 0, "number of the first world, to see one again")
	keep  = flag.String("keep", "", "a folder to keep the questions of differing cases in")
	given = flag.String("lab", "", "the folder of a lab that is up and empty; without it one is started")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	os.Exit(m.Run())
}

// TestSchedulerAgrees is the bar of the design: no Fits that the scheduler
// refuses, 99% agreement over the answers that are not Unknown, 2% Unknown. A
// scheduler that failed by itself said neither. Of a few random cases some more can
// be Unknown by chance.
func TestSchedulerAgrees(t *testing.T) {
	fmt.Printf("landing: seed %d, %d cases\n", *seed, *cases)
	r := newRig(t)
	began := time.Now()
	var c count
	for number := *first; c.cases < *cases; number++ {
		if end, limited := t.Deadline(); limited && time.Until(end) < time.Minute {
			t.Errorf("out of time after %d cases: give go test a longer -timeout", c.cases)
			break // while there is time to take the lab down
		}
		random := rand.New(rand.NewPCG(*seed, uint64(number)))
		r.world(t, &c, number, random)
	}
	elapsed := time.Since(began)
	fmt.Printf("landing: %s\nlanding: %.1fs, %.0f ms a case\n", c.String(), elapsed.Seconds(), float64(elapsed.Milliseconds())/float64(c.cases))
	if c.falseFits > 0 {
		t.Errorf("%d times Fits, and the scheduler refused", c.falseFits)
	}
	if decided := c.cases - c.unknown - c.preempted - c.spared - c.schedulerErr; float64(c.agreed()) < 0.99*float64(decided) {
		t.Errorf("agreement in %d of %d cases", c.agreed(), decided)
	}
	if most := atMost(c.cases, 0.01); float64(c.schedulerErr) > most {
		t.Errorf("in %d of %d cases the scheduler failed by itself, want at most %.1f", c.schedulerErr, c.cases, most)
	}
	if most := atMost(c.cases, 0.02); float64(c.unknown) > most {
		t.Errorf("%d of %d Unknown, want at most %.1f", c.unknown, c.cases, most)
	}
}

// judged is of how many cases the bars are meant.
const judged = 1000

// atMost is how many cases a share may be. Of fewer cases than the bar is meant of,
// it may be more by chance: three standard deviations of a binomial distribution.
func atMost(cases int, share float64) float64 {
	n := float64(cases)
	if cases >= judged {
		return share * n
	}
	return share*n + 3*math.Sqrt(n*share*(1-share))
}

// count is what the cases came to.
type count struct {
	cases, fits, refused         int // fits and refused: both sides agree
	unknown                      int
	falseFits, falseNo, offSet   int // differences
	moved, feasible, words       int // cases of moved pods; of equal feasible sets, of equal words
	sizes, settled, schedulerErr int
	// preempted and spared are cases where we say that the scheduler may preempt, and it did or
	// did not; in unforeseen ones it did where we say that the pod does not fit.
	preempted, spared, unforeseen int
}

func (c *count) agreed() int { return c.fits + c.refused }

func (c *count) String() string {
	return fmt.Sprintf("%d cases (%d moved): agreed %d (%d fit, %d do not), Fits but refused %d, bound where we say no %d, "+
		"DoesNotFit but bound %d, Unknown %d, may preempt %d (%d did not), preempts though it does not fit %d; same number of feasible nodes %d of %d, same words %d of %d; settled late %d, scheduler errors %d",
		c.cases, c.moved, c.agreed(), c.fits, c.refused, c.falseFits, c.offSet, c.falseNo, c.unknown, c.preempted+c.spared, c.spared, c.unforeseen,
		c.feasible, c.sizes, c.words, c.refused, c.settled, c.schedulerErr)
}

// labProgram is where the lab's program is, built if nobody did.
func labProgram(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("KDRAIN_LAB"); path != "" {
		return path
	}
	return build(t, "..", ".")
}

func build(t *testing.T, dir, pkg string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	cmd := exec.Command("go", "build", "-o", path, pkg)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	return path
}

// startLab starts a lab of its own for the test, and takes it down.
func startLab(t *testing.T) string {
	t.Helper()
	if *given != "" {
		return *given
	}
	program, dir := labProgram(t), filepath.Join(t.TempDir(), "lab")
	lab := func(ctx context.Context, args ...string) error {
		out, err := exec.CommandContext(ctx, program, append(args, "--dir", dir)...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("lab %s: %w\n%s", strings.Join(args, " "), err, out)
		}
		return nil
	}
	t.Cleanup(func() {
		if err := lab(context.Background(), "down"); err != nil {
			t.Error(err)
		}
	})
	if err := lab(t.Context(), "up", "--pace", "fast"); err != nil {
		t.Fatal(err)
	}
	return dir
}
