// Package live knows what a run is to those who show and steer it, be it live or replayed from its
// journal, and tells them of changes. It must not know how a run is carried out. Start at Run.
package live
