// Package budgets is the page of all budgets: healthy, needed and allowed, their members, and which nodes
// they hold. It must not have rules about budgets: it asks drain/budget. Start at Page.
package budgets
