// Package convert makes the compact records of package kube from objects of the API: texts
// cleaned, equal parts shared in memory. It must not know where the objects come from. Start
// reading at Record; it is a package of its own because watches and single reads both need it.
package convert
