package quarantine

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
)

// memory is a store. fault, if not nil, makes a write fail after some of its keys.
type memory struct {
	values map[string][]byte
	before int
	fault  error
}

func (m *memory) Read() (map[string][]byte, error) { return maps.Clone(m.values), nil }

func (m *memory) Write(values map[string][]byte) error {
	for n, key := range slices.Sorted(maps.Keys(values)) {
		if m.fault != nil && n == m.before {
			break
		}
		if m.values[key] = values[key]; values[key] == nil {
			delete(m.values, key)
		}
	}
	return m.fault
}

func openIn(t *testing.T, m *memory) *Quarantine {
	t.Helper()
	q, err := OpenIn(m)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestRowsInAStore(t *testing.T) {
	m := &memory{values: map[string][]byte{}}
	q, reader := openIn(t, m), openIn(t, m)
	both := func(rows ...Row) {
		t.Helper()
		want(t, q, rows...)
		want(t, openIn(t, m), rows...)
		if err := reader.Reload(); err != nil {
			t.Fatal(err)
		}
		want(t, reader, rows...)
	}
	both()
	add(t, q, batch(0, doc.Reject{OID: oid(t, 7), Reason: "r", Document: doc.Hidden}, doc.Reject{Reason: "no key"}))
	keyless := Row{Reason: "no key", Since: start, Tries: 1}
	both(keyless, Row{OID: oid(t, 7), Reason: "r", Since: start, Tries: 1, Document: doc.Hidden})
	for _, r := range []*Quarantine{openIn(t, m), reader} {
		if _, hidden := r.Documents(); hidden != 1 {
			t.Errorf("got %d rows with a hidden document, want 1", hidden)
		}
	}
	add(t, q, batch(9, doc.Reject{OID: oid(t, 7), Reason: "other"}))
	both(keyless, Row{OID: oid(t, 7), Reason: "other", Since: start, Tries: 2})
	if err := q.Clear([]doc.OID{oid(t, 7), oid(t, 8)}); err != nil {
		t.Fatal(err)
	}
	both(keyless)
	if err := q.Keyless(nil, start.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	both()
	if len(m.values) != 0 {
		t.Errorf("got %d values, want none", len(m.values))
	}
}

// A write that failed changes nothing in memory. The next one puts the store right.
func TestAStoreThatFailed(t *testing.T) {
	for before := range 3 {
		m := &memory{values: map[string][]byte{}}
		q := openIn(t, m)
		add(t, q, batch(0, doc.Reject{OID: oid(t, 1), Reason: "r"}, doc.Reject{OID: oid(t, 2), Reason: "r"}))
		m.fault, m.before = errors.New("the store is away"), before
		if err := q.Clear([]doc.OID{oid(t, 1), oid(t, 2)}); !errors.Is(err, m.fault) {
			t.Fatalf("got error %v, want %v", err, m.fault)
		}
		if err := q.Add(batch(9, doc.Reject{OID: oid(t, 3), Reason: "r"})); !errors.Is(err, m.fault) {
			t.Fatalf("got error %v, want %v", err, m.fault)
		}
		m.fault = nil
		if err := q.Clear(nil); err != nil {
			t.Fatal(err)
		}
		rows := []Row{{OID: oid(t, 1), Reason: "r", Since: start, Tries: 1}, {OID: oid(t, 2), Reason: "r", Since: start, Tries: 1}}
		want(t, q, rows...)
		want(t, openIn(t, m), rows...)
	}
}

func TestADamagedStore(t *testing.T) {
	m := &memory{values: map[string][]byte{}}
	add(t, openIn(t, m), batch(0, doc.Reject{OID: oid(t, 7), Reason: "r"}))
	for key, value := range m.values {
		for name, values := range map[string]map[string][]byte{
			"no JSON":                   {key: value[1:]},
			"the value of another row":  {"00": value},
			"a value that is cut short": {key: value[:len(value)-3]},
			"a value of no row that is": {key: nil},
		} {
			if _, err := OpenIn(&memory{values: values}); err == nil || !strings.HasPrefix(err.Error(), "quarantine: row ") {
				t.Errorf("%s: got error %v, want one that names the row", name, err)
			}
		}
	}
}
