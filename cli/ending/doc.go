// Package ending says on the normal screen how a run or a roll of the dashboard ended. It must not know commands
// or flags. Start at Run and Roll.
package ending
