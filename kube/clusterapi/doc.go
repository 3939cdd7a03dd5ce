// Package clusterapi has the compact records of Cluster API's objects: of its MachineDrainRules, and
// of the Machines that they select. It must not know how they are read, nor what a drain makes of
// them. Start at Rules.
package clusterapi
