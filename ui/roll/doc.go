// Package roll is the pages of a rolling maintenance: the board, which shows each of its nodes as a cell and
// steers it, and the page on which a new one is put together. It must not know the rules of a roll. Start at
// Page.
package roll
