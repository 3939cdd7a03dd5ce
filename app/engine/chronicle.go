package engine

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"io"

	"github.com/kdrain-tui/kdrain-tui/drain"
)

// pieceSize is how many events are put away together.
const pieceSize = 1024

// chronicle keeps all events of a run, in order: the latest as they are, those
// before as compressed pieces, a twentieth of the size. A run of days has many, and
// few ask for the old ones.
type chronicle struct {
	pieces [][]byte // pieceSize events each
	latest []drain.Event
}

// add appends events, without what only a screen may show.
func (c *chronicle) add(events []drain.Event) {
	for _, e := range events {
		e.Wait = e.Wait.Recorded()
		c.latest = append(c.latest, e)
	}
	for len(c.latest) >= 2*pieceSize {
		piece, err := pack(c.latest[:pieceSize])
		if err != nil { // events are plain values: they always marshal
			return
		}
		c.pieces = append(c.pieces, piece)
		c.latest = append([]drain.Event(nil), c.latest[pieceSize:]...)
	}
}

// after are the events after the one of that number.
func (c *chronicle) after(seq uint64) []drain.Event {
	before := uint64(len(c.pieces)) * pieceSize // number of the last event put away
	if seq >= before {
		return c.latest[min(seq-before, uint64(len(c.latest))):len(c.latest):len(c.latest)]
	}
	var events []drain.Event
	first := seq / pieceSize
	for _, piece := range c.pieces[first:] {
		events = unpack(events, piece)
	}
	return append(events, c.latest...)[seq-first*pieceSize:]
}

func pack(events []drain.Event) ([]byte, error) {
	var piece bytes.Buffer
	w, err := flate.NewWriter(&piece, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	enc := json.NewEncoder(w)
	for _, e := range events {
		err = errors.Join(err, enc.Encode(e))
	}
	err = errors.Join(err, w.Close())
	return bytes.Clone(piece.Bytes()), err
}

// unpack appends the events of a piece.
func unpack(events []drain.Event, piece []byte) []drain.Event {
	dec := json.NewDecoder(flate.NewReader(bytes.NewReader(piece)))
	for {
		var e drain.Event
		if err := dec.Decode(&e); err != nil {
			if !errors.Is(err, io.EOF) {
				panic("a piece of the run's events cannot be read: " + err.Error()) // we packed it
			}
			return events
		}
		events = append(events, e)
	}
}
