package sink

import "indexerd/internal/base/doc"

// Different returns the OIDs of the stamps that the index does not have: the page
// has another stamp or another generation, there is no page, or the page's version
// is not the index's. It leaves out a version that this process has rejected: it would
// be rejected again.
func (s *Sink) Different(stamps []doc.Stamp) ([]doc.OID, error) {
	states, err := s.lookUp(doc.OIDs(stamps))
	if err != nil {
		return nil, err
	}
	var different []doc.OID
	for i, stamp := range stamps {
		if (!states[i].Same(stamp) || !states[i].indexed()) && !s.quarantine.Rejected(stamp) {
			different = append(different, stamp.OID)
		}
	}
	return different, nil
}

// Stored returns the stamps of those rows that have a page, a document or an entry
// in the quarantine. The stamp is the page's, or empty if there is no page.
func (s *Sink) Stored(oids []doc.OID) ([]doc.Stamp, error) {
	stamps, there, err := s.stamps(oids)
	if err != nil {
		return nil, err
	}
	var stored []doc.Stamp
	for i, oid := range oids {
		if there[i] || s.quarantine.Has(oid) {
			stored = append(stored, stamps[i])
		}
	}
	return stored, nil
}

// stamps returns the stamps of pages, and whether there is a page or a document.
// Without a page a stamp has its OID only.
func (s *Sink) stamps(oids []doc.OID) (stamps []doc.Stamp, there []bool, err error) {
	versions, err := s.index.Versions(oids)
	if err != nil {
		return nil, nil, err
	}
	pages, err := s.pages.Metas(oids)
	if err != nil {
		return nil, nil, err
	}
	stamps, there = make([]doc.Stamp, len(oids)), make([]bool, len(oids))
	for i, oid := range oids {
		stamps[i], there[i] = pages[i].Stamp, pages[i].OID != "" || versions[i] != 0
		stamps[i].OID = oid
	}
	return stamps, there, nil
}

// outdated reports whether a newer fetch was applied to the row. The quarantine is
// asked too: a removal carries the number of a fetch that has ended, and so absent may
// have forgotten a reject of a fetch that began after it.
func (s *Sink) outdated(oid doc.OID, page doc.Meta, absent map[doc.OID]doc.FetchSeq, fetch doc.FetchSeq) bool {
	return max(page.Fetch, s.quarantine.Fetch(oid), absent[oid]) > fetch
}

// absentAmong returns what absent has of these keys, nil if it has none. While they are
// held nothing adds to it.
func (s *Sink) absentAmong(oids []doc.OID) (among map[doc.OID]doc.FetchSeq) {
	s.locked(func() {
		if len(s.absent) == 0 {
			return
		}
		among = map[doc.OID]doc.FetchSeq{}
		for _, oid := range oids {
			if fetch, ok := s.absent[oid]; ok {
				among[oid] = fetch
			}
		}
	})
	return among
}

// A state is the page's Meta of a document, and the version that the index has. The
// version is 0 if the page is of another generation.
type state struct {
	doc.Meta
	version doc.Version
}

// indexed reports whether page and index document are of one write.
func (s state) indexed() bool { return s.version != 0 && s.version == s.V }

// lookUp returns the state of each document.
func (s *Sink) lookUp(oids []doc.OID) ([]state, error) {
	pages, err := s.pages.Metas(oids)
	if err != nil {
		return nil, err
	}
	states := make([]state, len(oids))
	var at []int // positions of the documents that the index may have
	var ask []doc.OID
	for i, oid := range oids {
		states[i].Meta = pages[i]
		if pages[i].OID != "" && pages[i].Gen == s.index.Generation() {
			at, ask = append(at, i), append(ask, oid)
		}
	}
	if len(ask) == 0 {
		return states, nil
	}
	versions, err := s.index.Versions(ask)
	if err != nil {
		return nil, err
	}
	for k, i := range at {
		states[i].version = versions[k]
	}
	return states, nil
}
