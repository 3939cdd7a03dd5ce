//go:build !linux

package node

import (
	"errors"
	"os"
	"syscall"
)

// InNewNetwork is of use on Linux only; see Missing.
func InNewNetwork() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func asMachine() *syscall.SysProcAttr { return InNewNetwork() }

func enter(*os.File) error { return errors.New("only Linux has network namespaces") }
