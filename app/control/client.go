package control

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/kdrain-tui/kdrain-tui/kube/conn"
)

// ErrNobody says that no process serves the run.
var ErrNobody = errors.New("no process answers at the socket of the run")

// answerPatience is how long the run may take to answer: longer than its server
// waits for the API server and the engine.
const answerPatience = commandPatience + rightsPatience + 3*time.Second

// Ask sends a request to the process that owns the run and returns its answer.
// The error is ErrNobody where there is no such process.
func Ask(dir string, r Request) (a Answer, err error) {
	r.Schema = schema
	path := path(dir, r.Run)
	socket, err := dial(path)
	if errors.Is(err, fs.ErrNotExist) || conn.IsRefused(err) {
		return a, ErrNobody
	}
	if err != nil {
		return a, fmt.Errorf("reach run %s at %s: %w", r.Run, path, err)
	}
	defer func() { err = errors.Join(err, socket.Close()) }()
	if err := socket.SetDeadline(time.Now().Add(answerPatience)); err != nil {
		return a, err
	}
	line, err := json.Marshal(r)
	if err != nil {
		return a, err
	}
	if _, err := socket.Write(append(line, '\n')); err != nil {
		return a, fmt.Errorf("send the command to run %s: %w", r.Run, err)
	}
	line, err = bufio.NewReader(socket).ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("run %s did not answer (its journal shows whether it accepted the command): %w", r.Run,
			err)
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return a, fmt.Errorf("read the answer of run %s: %w", r.Run, err)
	}
	if a.Schema != schema {
		return a, fmt.Errorf("run %s answers in %q, this program reads %s: use the version that started the run", r.Run,
			a.Schema, schema)
	}
	return a, nil
}
