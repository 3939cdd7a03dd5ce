package main

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// Ports of a lab, all on 127.0.0.1.
type Ports struct {
	Etcd              int `json:"etcd"`
	EtcdPeer          int `json:"etcdPeer"`
	APIServer         int `json:"apiServer"`
	ControllerManager int `json:"controllerManager"`
	Scheduler         int `json:"scheduler"`
	Kwok              int `json:"kwok"`
}

func (p *Ports) all() []*int {
	return []*int{&p.Etcd, &p.EtcdPeer, &p.APIServer, &p.ControllerManager, &p.Scheduler, &p.Kwok}
}

// Below the range from which the system takes ports for outgoing connections,
// so that a component which is stopped for a while finds its port free again.
const lowestPort, highestPort = 20000, 32000

// choosePorts finds free ports. It starts at a random one: two labs that start
// at the same moment would otherwise find the same ones free.
func choosePorts() (Ports, error) {
	var chosen Ports
	want := chosen.all()
	first := rand.IntN(highestPort - lowestPort)
	for i := 0; i < highestPort-lowestPort && len(want) > 0; i++ {
		port := lowestPort + (first+i)%(highestPort-lowestPort)
		if portFree(port) {
			*want[0], want = port, want[1:]
		}
	}
	if len(want) > 0 {
		return Ports{}, fmt.Errorf("no free port on 127.0.0.1 between %d and %d", lowestPort, highestPort)
	}
	return chosen, nil
}

func portFree(port int) bool {
	listener, err := net.Listen("tcp", address(port))
	if err != nil {
		return false
	}
	listener.Close()
	return true
}

func address(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
