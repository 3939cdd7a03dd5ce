// Package preferences remembers what the operator chose on the dashboard, for its next start: the theme, and per
// cluster whether the usual flags are accepted. It must not know settings: a flag or setting that is given is
// stronger. Start at Store.
package preferences
