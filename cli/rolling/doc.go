// Package rolling is the command roll and what resume, rollback, report and ctl do with a roll: its flags,
// its plan before it is confirmed, its lines and questions. It must not know how a command line is parsed
// nor how a connection is made; its Host does. Start at New.
package rolling
