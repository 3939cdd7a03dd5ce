// Package frame is what a page of the dashboard and the frame around it know of each
// other: what a page shows (Page, View, List), and what it may ask for (Shell, Session).
// It must not know any page, and decides nothing about drains. Start reading at Page.
package frame
