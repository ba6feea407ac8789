package quarantine

import (
	"fmt"
)

// A Store keeps the rows of a table in place of the file.
type Store interface {
	// Read returns all values by their keys.
	Read() (map[string][]byte, error)
	// Write replaces the values of these keys durably; nil removes a key. After an error
	// any of them may have been written.
	Write(values map[string][]byte) error
}

// OpenIn reads the list in a store.
func OpenIn(s Store) (*Quarantine, error) {
	values, err := s.Read()
	if err != nil {
		return nil, fmt.Errorf("quarantine: %w", err)
	}
	q := newQuarantine(&stored{s, map[string]bool{}})
	q.reload = s.Read
	if err := q.fill(values); err != nil {
		return nil, err
	}
	return q, nil
}

// Reload reads the list of a store again, for a process that only reads it. It has no
// effect on a file.
func (q *Quarantine) Reload() error {
	if q.reload == nil {
		return nil
	}
	defer q.change()()
	values, err := q.reload()
	if err != nil {
		return fmt.Errorf("quarantine: %w", err)
	}
	next := newQuarantine(nil)
	if err := next.fill(values); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.rows, q.visible, q.hidden, q.partials, q.doubts = next.rows, next.visible, next.hidden, next.partials, next.doubts
	return nil
}

// CopyTo writes the rows of the list to a store that has none.
func (q *Quarantine) CopyTo(s Store) error {
	values := map[string][]byte{}
	for _, row := range q.Rows() {
		if err := put(values, row.id(), row); err != nil {
			return err
		}
	}
	return s.Write(values)
}

// fill adds the rows of a store to an empty list.
func (q *Quarantine) fill(values map[string][]byte) error {
	for key, value := range values {
		row, err := decode(value)
		if err == nil && token(row.id()) != key {
			err = fmt.Errorf("it is of the row %s", row.OID)
		}
		if err != nil {
			return fmt.Errorf("quarantine: row %s: %w", key, err)
		}
		q.apply(row)
	}
	q.doubtAll()
	return nil
}

// stored is the log in a store.
type stored struct {
	store  Store
	unsure map[string]bool // ids of rows that may differ from the list, after an error
}

// append writes the changes, and again the rows for which a write has failed.
func (w *stored) append(changes []Row, rows map[string]Row) error {
	if len(changes)+len(w.unsure) == 0 {
		return nil
	}
	values, ids := map[string][]byte{}, map[string]bool{}
	for id := range w.unsure {
		row := rows[id] // without tries if it is not listed
		if err := put(values, id, row); err != nil {
			return err
		}
		ids[id] = true
	}
	for _, row := range changes {
		if err := put(values, row.id(), row); err != nil {
			return err
		}
		ids[row.id()] = true
	}
	if err := w.store.Write(values); err != nil {
		w.unsure = ids
		return err
	}
	clear(w.unsure)
	return nil
}

// put adds the value of a row, nil if it is removed.
func put(values map[string][]byte, id string, row Row) error {
	if row.Tries == 0 {
		values[token(id)] = nil
		return nil
	}
	line, err := encode([]Row{row})
	values[token(id)] = line
	return err
}
