// Package plan is the pages of a plan: its nodes, its pods and its findings, and the questions before
// a run. It must not know how a run goes on. Start at Page.
package plan
