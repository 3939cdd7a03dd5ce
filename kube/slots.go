package kube

// slots hold the pod records by number. They are copied on write in pages: a
// record that changes after a snapshot costs two small pages, and the indexes,
// which know pods by their slot, stay as they are.
type slots struct {
	top   []*slotPages
	epoch uint64 // pages of an older epoch belong to a snapshot too
	owned bool   // top is not shared with a snapshot
	free  []int32
	next  int32
}

const pageSize = 64

type slotPages struct {
	epoch uint64
	pages [pageSize]*slotPage
}

type slotPage struct {
	epoch uint64
	pods  [pageSize]*Pod
}

func (s *slots) get(slot int32) *Pod {
	return s.top[slot/(pageSize*pageSize)].pages[slot/pageSize%pageSize].pods[slot%pageSize]
}

// take gives out a slot that is not in use.
func (s *slots) take() int32 {
	if n := len(s.free); n > 0 {
		slot := s.free[n-1]
		s.free = s.free[:n-1]
		return slot
	}
	s.next++
	return s.next - 1
}

// release empties a slot for the next pod.
func (s *slots) release(slot int32) {
	s.set(slot, nil)
	s.free = append(s.free, slot)
}

func (s *slots) set(slot int32, p *Pod) {
	i, j, k := slot/(pageSize*pageSize), slot/pageSize%pageSize, slot%pageSize
	if !s.owned {
		s.top = append(make([]*slotPages, 0, len(s.top)+1), s.top...)
		s.owned = true
	}
	for int(i) >= len(s.top) {
		s.top = append(s.top, &slotPages{epoch: s.epoch})
	}
	pages := s.top[i]
	if pages.epoch != s.epoch {
		copied := *pages
		copied.epoch = s.epoch
		pages, s.top[i] = &copied, &copied
	}
	page := pages.pages[j]
	switch {
	case page == nil:
		page = &slotPage{epoch: s.epoch}
		pages.pages[j] = page
	case page.epoch != s.epoch:
		copied := *page
		copied.epoch = s.epoch
		page, pages.pages[j] = &copied, &copied
	}
	page.pods[k] = p
}

// freeze is a copy for reading that later changes do not touch.
func (s *slots) freeze() slots {
	s.epoch++
	s.owned = false
	return slots{top: s.top}
}
