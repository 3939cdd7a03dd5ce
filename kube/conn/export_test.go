package conn

import "context"

// OnlyProbeInDoubt lets heartbeats go out only after a request failed.
func (c *Cluster) OnlyProbeInDoubt() {
	probe := c.health.probe
	c.health.probe = func(ctx context.Context) error {
		if ctx.Value(doubtMark{}) == nil {
			return nil
		}
		return probe(ctx)
	}
}

// WaitForRequests waits for those too that were given up.
func (c *Cluster) WaitForRequests() {
	c.readHTTP.Transport.(objects).next.(*deadlines).requests.Wait()
	c.writeHTTP.Transport.(*deadlines).requests.Wait()
}
