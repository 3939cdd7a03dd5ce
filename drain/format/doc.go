// Package format writes durations, numbers, lists, names and the text of others: one rule for each, on all screens, in
// all reports and logs. It knows nothing of what they are about. Start at Duration and Count.
package format
