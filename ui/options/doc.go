// Package options is the page of the options of a drain, made from the flags of plan.Options. It must
// not know what an option does. Start at Page.
package options
