package analysis

import "sync/atomic"

// classes has the class of each character, which a function tells in much more time. A page
// of 256 characters is filled when one of them is asked for first: the characters of a text
// are on few pages. A page takes 256 bytes, all of them 128 KB.
type classes[T ~byte] struct {
	of    func(r rune) T
	pages [classesEnd / pageSize]atomic.Pointer[[pageSize]T]
}

const (
	pageSize   = 256
	classesEnd = 0x20000 // the characters behind are rare ideographs
)

// at returns the class of a character.
func (c *classes[T]) at(r rune) T {
	if uint32(r) >= classesEnd {
		return c.of(r)
	}
	page := c.pages[r/pageSize].Load()
	if page == nil {
		page = new([pageSize]T)
		for i := range page {
			page[i] = c.of(r/pageSize*pageSize + rune(i))
		}
		c.pages[r/pageSize].Store(page) // perhaps one of another goroutine too, which is equal
	}
	return page[r%pageSize]
}
