// Package wording is what more than one page says: numbers and times in words, the cells
// and sentences about a pod in a plan or in a run, about budgets and options, commands for
// a shell, and the result of a run. Pure functions to text with semantic tokens: no clock,
// no escape codes, no state. What one page alone says is in that page's package.
package wording
