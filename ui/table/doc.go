// Package table is a list whose cursor stands on an object, not on a line:
// sorting, filtering and updates never move it to another one.
package table
