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

// Chronicle keeps all events of a run or a roll, in order and numbered from 1: the latest as they are, those
// before as compressed pieces, a twentieth of the size. A run of days has many, and
// few ask for the old ones.
type Chronicle[E any] struct {
	pieces [][]byte // pieceSize events each
	latest []E
}

// Add appends events.
func (c *Chronicle[E]) Add(events ...E) {
	c.latest = append(c.latest, events...)
	for len(c.latest) >= 2*pieceSize {
		piece, err := pack(c.latest[:pieceSize])
		if err != nil { // events are plain values: they always marshal
			return
		}
		c.pieces = append(c.pieces, piece)
		c.latest = append([]E(nil), c.latest[pieceSize:]...)
	}
}

// After are the events after the one of that number.
func (c *Chronicle[E]) After(seq uint64) []E {
	before := uint64(len(c.pieces)) * pieceSize // number of the last event put away
	if seq >= before {
		return c.latest[min(seq-before, uint64(len(c.latest))):len(c.latest):len(c.latest)]
	}
	var events []E
	first := seq / pieceSize
	for _, piece := range c.pieces[first:] {
		events = unpack(events, piece)
	}
	return append(events, c.latest...)[seq-first*pieceSize:]
}

// asRecorded are the events without what only a screen may show.
func asRecorded(events []drain.Event) []drain.Event {
	kept := make([]drain.Event, len(events))
	for i, e := range events {
		e.Wait = e.Wait.Recorded()
		kept[i] = e
	}
	return kept
}

func pack[E any](events []E) ([]byte, error) {
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
func unpack[E any](events []E, piece []byte) []E {
	dec := json.NewDecoder(flate.NewReader(bytes.NewReader(piece)))
	for {
		var e E
		if err := dec.Decode(&e); err != nil {
			if !errors.Is(err, io.EOF) {
				panic("a piece of the events cannot be read: " + err.Error()) // we packed it
			}
			return events
		}
		events = append(events, e)
	}
}
