package hook

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/kdrain-tui/kdrain-tui/drain/process"
)

// zombie is SZOMB of sys/proc.h.
const zombie = 5

// system is which boot of the host this process is in. There are no PID namespaces.
func system() (boot, space string) {
	boot, _ = unix.Sysctl("kern.bootsessionuuid") // unknown then
	return boot, ""
}

// members are the processes of a group.
func members(group int) (all []process.Member, err error) {
	infos, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", group)
	if err != nil {
		return nil, err
	}
	for i := range infos {
		p := &infos[i].Proc
		began := fmt.Sprintf("%d.%06d", p.P_starttime.Sec, p.P_starttime.Usec)
		all = append(all, process.Member{ID: int(p.P_pid), Began: began, Ended: p.P_stat == zombie})
	}
	return all, nil
}
