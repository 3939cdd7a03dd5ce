//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// startEvicting types the last confirmation.
func (term *terminal) startEvicting(node string) {
	term.t.Helper()
	term.toEvictionOf(node)
	term.typing(node)
	term.keys("Enter")
	term.waitGone("and press Enter")
}

// The cluster does not stand still while a node is drained. What goes away is
// said, what comes back is used, and nobody has to do anything for it.
func TestTroubleDuringRuns(t *testing.T) {
	world := ownWorld(t)
	t.Run("the API server goes away", func(t *testing.T) { apiServerGoesAway(t, world) })
	t.Run("a permission is taken away", func(t *testing.T) { permissionIsTakenAway(t, world) })
	t.Run("the credential plugin hangs", func(t *testing.T) { credentialPluginHangs(t, world) })
	t.Run("the node is deleted", func(t *testing.T) { nodeIsDeleted(t, world) })
}

func apiServerGoesAway(t *testing.T, world *world) {
	defer world.logOnFailure(t, "get", "pods,pdb", "-n", "checkout", "-o", "wide")
	operator := world.operator(t)
	term := operator.open(120, 40, usualFlags...)
	term.waitFor("● live · 13 nodes")
	term.startEvicting("worker-a2")
	term.waitFor("8 of 10 · 2 blocked")
	isBlocked := func(s screen) bool {
		return len(blockedLines(s, "cart-")) == 2 && s.shows("cart needs 3, has 3", "on worker-b1: CrashLoopBackOff")
	}

	// Somebody pulls at the window meanwhile.
	for _, size := range []struct{ width, height int }{{80, 24}, {200, 50}, {60, 12}, {40, 8}, {80, 24}} {
		term.resize(size.width, size.height)
	}
	for _, size := range []struct{ width, height int }{{200, 50}, {80, 24}, {120, 40}} {
		term.resize(size.width, size.height)
		term.until(patience, fmt.Sprintf("the blocked pods at %dx%d", size.width, size.height), func(s screen) bool {
			return len(s.lines) == size.height && len(blockedLines(s, "/cart")) == 2 && s.shows("worker-b1: CrashLoopBackOff")
		})
	}
	term.until(patience, "the blocked pods", isBlocked)

	stopped := time.Now()
	world.fault(t, "stop", "kube-apiserver")
	away := term.until(patience, "the screen says that the server is away", func(s screen) bool { return s.shows("server unreachable") })
	t.Logf("the server is said to be away after %s", away.at.Sub(stopped).Round(time.Millisecond))
	term.stays(2*time.Second, "what was known", func(s screen) bool { return s.shows("server unreachable", "8 of 10") })
	started := time.Now()
	world.fault(t, "start", "kube-apiserver")
	back := term.waitGone("server unreachable")
	t.Logf("the server was asked to come back, and %s later the screen knows", back.at.Sub(started).Round(time.Millisecond))
	term.until(patience, "the blocked pods", isBlocked)

	healed := time.Now()
	world.healCart(t)
	done := term.until(patience, "the run goes on by itself and ends", func(s screen) bool { return s.shows("✔ Drained worker-a2", "10 of 10 pods gone") })
	t.Logf("the run was over %s after its cause was gone", done.at.Sub(healed).Round(time.Millisecond))
	term.keys("q")
	if r, _ := operator.leaves(term, 0); len(r.Outages) != 1 || r.Outages[0].Until.IsZero() {
		t.Errorf("outages %+v, of one that is over", r.Outages)
	}
	world.onlyDaemonsLeft(t, "worker-a2")
}

// worker-b2 waits for billing/ledger, whose budget allows nothing. While the run
// waits, ada loses her rights; then the budget gives way.
func permissionIsTakenAway(t *testing.T, world *world) {
	operator := world.operator(t)
	drain := operator.start(with("drain", "worker-b2", "--yes")...)
	drain.waitFor(patience, "evicting pod shop/mailer-", "budget ledger")
	eventually(t, patience, "only the ledger is left", func() bool { return len(world.podsOn(t, "worker-b2")) == 4 })
	world.asMachinery(t, "delete", "clusterrolebinding", "lab-ada")
	giveBack := []string{"create", "clusterrolebinding", "lab-ada", "--clusterrole=cluster-admin", "--user=ada"}
	t.Cleanup(func() { world.mayFail(giveBack...) }) // for the stories after this one
	eventually(t, patience, "ada may not evict any more", func() bool {
		return strings.HasPrefix(world.mayFail("auth", "can-i", "create", "pods/eviction", "-A", "--as", "ada"), "no")
	})
	world.asMachinery(t, "patch", "pdb", "-n", "billing", "ledger", "--type=merge", "-p", `{"spec":{"maxUnavailable":1}}`)
	answer := drain.wait(patience)
	answer.exits(t, 4, "billing/ledger-", "forbidden", "worker-b2")
	if n := len(world.podsOn(t, "worker-b2")); n != 4 {
		t.Errorf("%d pods are left, want 4", n)
	}

	world.asMachinery(t, giveBack...)
	eventually(t, patience, "ada has her rights back", func() bool {
		return operator.run(with("drain", "worker-b2", "--dry-run=client")...).code == 0
	})
	again := operator.run(with("drain", "worker-b2", "--yes")...)
	again.exits(t, 0)
	again.prints(t, "node/worker-b2 already cordoned", "node/worker-b2 drained")
	world.onlyDaemonsLeft(t, "worker-b2")
}

// worker-b3 waits for payments/gateway, which two budgets select; then somebody
// deletes the node.
func nodeIsDeleted(t *testing.T, world *world) {
	operator := world.operator(t)
	term := operator.open(80, 40) // room for the report, however many pods are still ending then
	term.waitFor("● live · 13 nodes")
	term.startEvicting("worker-b3")
	term.until(patience, "two blocked pods", func(s screen) bool { return s.shows("2 blocked") && len(blockedLines(s, "gateway")) == 2 })
	world.asMachinery(t, "delete", "node", "worker-b3", "--wait=false")
	result := term.waitFor("Result ", "the node was deleted") // before its end the run would ask what q means
	t.Log("\n" + framed(result))
	term.keys("q")
	if _, normal := operator.leaves(term, 4); !normal.shows("worker-b3", "the node was deleted") {
		t.Errorf("on the normal screen\n%s", framed(normal))
	}
}
