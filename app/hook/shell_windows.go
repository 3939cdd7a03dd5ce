package hook

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// shell runs a command line by cmd, in a console process group of its own: Ctrl+C does not reach it. It begins
// suspended. It and all that it starts are one job, which ends with this process whatever becomes of it.
type shell struct {
	*exec.Cmd
	gate *gate
	job  windows.Handle
}

func newShell(ctx context.Context, line string) *shell {
	s := &shell{Cmd: exec.CommandContext(ctx, interpreter), gate: newGate()}
	s.SysProcAttr = &syscall.SysProcAttr{
		// With /S it removes the outer quotes and takes the rest as it is (cmd /?); /D leaves out AutoRun.
		CmdLine:       interpreter + ` /D /S /C "` + line + `"`,
		CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP,
	}
	s.Cancel = s.kill
	s.Stdin = s.gate
	return s
}

func (s *shell) start() error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return fmt.Errorf("create a job object: %w", err)
	}
	s.job = job
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		return fmt.Errorf("set the limits of a job object: %w", err)
	}
	if err := s.Start(); err != nil {
		return err
	}
	var joined error
	held := s.Process.WithHandle(func(process uintptr) {
		joined = windows.AssignProcessToJobObject(job, windows.Handle(process))
	})
	if err := errors.Join(held, joined); err != nil {
		s.refuse()
		return errors.Join(fmt.Errorf("assign it to a job object: %w", err), s.Wait())
	}
	return nil
}

// begin lets the command begin, with that on its standard input.
func (s *shell) begin(input string) error {
	s.gate.open(input)
	if err := resume(uint32(s.Process.Pid)); err != nil {
		_ = s.kill()
		return fmt.Errorf("resume its first thread: %w", err)
	}
	return nil
}

// refuse keeps the command from ever beginning.
func (s *shell) refuse() {
	_ = s.Process.Kill()
	s.gate.open("")
}

// kill ends the job at once, and the command where it is not of the job yet.
func (s *shell) kill() error {
	err := windows.TerminateJobObject(s.job, 1)
	_ = s.Process.Kill() // it has ended, as a rule
	return err
}

// end kills what was started while it was killed.
func (s *shell) end(time.Time) { _ = s.kill() }

func (s *shell) close() { _ = windows.CloseHandle(s.job) }

// resume lets a process run that was started suspended: it has one thread.
func resume(process uint32) error {
	threads, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(threads) }()
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(threads, &entry); err == nil; err = windows.Thread32Next(threads, &entry) {
		if entry.OwnerProcessID != process {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		_, err = windows.ResumeThread(thread)
		return errors.Join(err, windows.CloseHandle(thread))
	}
	return err
}

// interpreter is what runs a command line here.
const interpreter = "cmd"

// plainWord is what a word consists of that cmd takes as it is.
const plainWord = letters + `_./+:\`

// unreadable: cmd does not read a line without running it.
func unreadable(string) string { return "" }

// builtin are the commands of cmd that are no programs (help of cmd).
var builtin = strings.Fields("assoc break call cd chdir cls color copy date del dir echo endlocal erase exit for ftype goto if md mkdir" +
	" mklink move path pause popd prompt pushd rd rem ren rename rmdir set setlocal shift start time title type ver verify vol")

// missing says whether cmd knows no command of that name.
func missing(word string) bool {
	_, err := exec.LookPath(word)
	return err != nil && !slices.Contains(builtin, strings.TrimRight(strings.ToLower(word), ".:/"))
}
