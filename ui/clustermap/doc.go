// Package clustermap is the page with the nodes as tiles, by zone: how full they are, their pods as dots, and during a
// run which pods left and which come. It must not have rules of a drain. Start at Page; grid.go is where tiles stand.
package clustermap
