package timetrace

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// memory is a store that counts writes. fault, if not nil, makes a write fail after it has
// written the given number of tables.
type memory struct {
	tables map[string][]byte
	writes []string // the tables of each write
	fault  error
	before int // tables that are written before the fault
}

func (m *memory) Read() (map[string][]byte, error) { return maps.Clone(m.tables), nil }
func (m *memory) String() string                   { return "the store" }

func (m *memory) Write(tables map[string][]byte) error {
	names := slices.Sorted(maps.Keys(tables))
	m.writes = append(m.writes, strings.Join(names, " "))
	for n, name := range names {
		if m.fault != nil && n == m.before {
			return m.fault
		}
		if m.tables[name] = tables[name]; tables[name] == nil {
			delete(m.tables, name)
		}
	}
	return m.fault
}

func openIn(t *testing.T, m *memory) *Trace {
	t.Helper()
	trace, err := OpenIn(m, release)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func TestMarksInAStore(t *testing.T) {
	m := &memory{tables: map[string][]byte{}}
	trace := openIn(t, m)
	update(t, trace, example())
	if got := openIn(t, m).Tables(); !reflect.DeepEqual(got, example()) {
		t.Errorf("got %+v, want %+v", got, example())
	}
	m.writes = nil
	for _, step := range []func() error{
		func() error { return number("a", 1, trace) },
		func() error { return number("b", 1, trace) },
		func() error { return number("b", 1, trace) }, // no change
		func() error { trace.Note("a", func(m *Table) { m.Numbers = 2 }); return nil },
		func() error { return number("b", 2, trace) },
		func() error { return trace.Update(func(s State) { delete(s, "a") }) },
		trace.Flush,
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := strings.Join(m.writes, ", "), "a, b, a b, a"; got != want {
		t.Errorf("got writes of %s, want %s: only of tables that changed", got, want)
	}
	if _, ok := openIn(t, m).Table("a"); ok {
		t.Error("the table was removed: got its marks, want none")
	}
}

// After a write that failed the store may have the new lines of some tables. Marks that
// are then as they were before are written all the same.
func TestAStoreThatFailed(t *testing.T) {
	for written := range 3 {
		m := &memory{tables: map[string][]byte{}}
		trace := openIn(t, m)
		update(t, trace, State{"a": {Numbers: 1}, "b": {Numbers: 1}, "c": {Numbers: 1}})
		m.fault, m.before = errors.New("the store is away"), written
		err := trace.Update(func(s State) { replace(s, State{"a": {Numbers: 2}, "b": {Numbers: 2}}) })
		if !errors.Is(err, m.fault) || !strings.Contains(err.Error(), "the store") {
			t.Fatalf("got error %v, want %v", err, m.fault)
		}
		m.fault = nil
		if err := trace.Flush(); err != nil {
			t.Fatal(err)
		}
		for _, got := range []State{trace.Tables(), openIn(t, m).Tables()} {
			if got["a"].Numbers != 1 || got["b"].Numbers != 1 || got["c"].Numbers != 1 {
				t.Errorf("%d tables were written before the failure: got %+v, want the marks before it", written, got)
			}
		}
	}
}

func TestAStoreThatIsDamaged(t *testing.T) {
	for lines, want := range map[string]string{
		"":                                "0 tables",
		"other.numbers = 1\n":             "those of one, film",
		"film.numbers = 1\nb.numbers = 1": "2 tables",
		"film.numbers = x\n":              `"x" is not a number`,
		"film.newer = 1\n":                "unknown mark",
	} {
		m := &memory{tables: map[string][]byte{"film": []byte(lines)}}
		if _, err := OpenIn(m, release); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "the marks of film in the store") {
			t.Errorf("%q: got error %v, want %q", lines, err, want)
		}
	}
}
