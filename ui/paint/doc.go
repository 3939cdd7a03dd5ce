// Package paint turns lines of text with semantic tokens into the cells of a
// frame. Text and token stay apart until the very end, so that what a page
// says can be tested without what it looks like.
package paint
