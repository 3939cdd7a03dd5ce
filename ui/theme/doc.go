// Package theme is the page that chooses the theme. It must not know what a theme is kept in, nor how the frame is
// painted with it. Start at Page.
package theme
