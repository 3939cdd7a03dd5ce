package roll

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// window is the time of day in which a batch may begin, by the clocks of a place. The zero window is
// always open.
type window struct {
	from, to int // minutes of the day
	place    *time.Location
}

// parseWindow reads a text such as "22:00-04:00 Europe/Berlin"; without a place it is the machine's own.
// "" is always open.
func parseWindow(text string) (window, error) {
	if text == "" {
		return window{}, nil
	}
	span, place, _ := strings.Cut(strings.TrimSpace(text), " ")
	from, to, ok := strings.Cut(span, "-")
	if !ok {
		return window{}, errors.New(`must be like "22:00-04:00 Europe/Berlin"`)
	}
	w := window{place: time.Local}
	var err error
	if w.from, err = minuteOf(from); err != nil {
		return window{}, err
	}
	if w.to, err = minuteOf(to); err != nil {
		return window{}, err
	}
	switch {
	case w.from == w.to:
		return window{}, errors.New("it ends when it begins: no batch could start")
	case w.from == midnight:
		return window{}, errors.New("a window cannot begin at 24:00: write 00:00")
	}
	if place = strings.TrimSpace(place); place != "" {
		if w.place, err = time.LoadLocation(place); err != nil {
			return window{}, fmt.Errorf("no time zone %q is known here, such as Europe/Berlin or UTC", place)
		}
	}
	return w, nil
}

// midnight is the minute at which a day ends.
const midnight = 24 * 60

// minuteOf is the minute of the day of HH:MM; 24:00 is the end of it.
func minuteOf(text string) (int, error) {
	if text == "24:00" {
		return midnight, nil
	}
	t, err := time.Parse("15:04", text)
	if err != nil {
		return 0, fmt.Errorf("%q is no time of day like 22:00", text)
	}
	return t.Hour()*60 + t.Minute(), nil
}

// open reports whether a batch may begin. What the clocks of the place show decides: an hour that they
// leave out is not there, one that they show twice counts twice.
func (w window) open(now time.Time) bool {
	if w.place == nil {
		return true
	}
	here := now.In(w.place)
	minute := here.Hour()*60 + here.Minute()
	if w.from < w.to {
		return w.from <= minute && minute < w.to
	}
	return minute >= w.from || minute < w.to
}

// longestShut is longer than any window is closed, over a change of the clocks too.
const longestShut = 50 * time.Hour

// opens is when a batch may begin at the earliest: now, or the first minute of the window after it.
func (w window) opens(now time.Time) time.Time {
	if w.open(now) {
		return now
	}
	// Offsets of time zones and their changes are whole minutes in our days.
	for at := now.Truncate(time.Minute).Add(time.Minute); at.Sub(now) < longestShut; at = at.Add(time.Minute) {
		if w.open(at) {
			return at
		}
	}
	return now.Add(longestShut) // a minute that no day has; decided again then
}
