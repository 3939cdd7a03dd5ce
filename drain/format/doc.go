// Package format knows how figures, names and the text of others are written in a sentence. It must
// not know what they are about. Start at Count.
package format
