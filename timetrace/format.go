package timetrace

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/magiconair/properties"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/sealed"
	"indexerd/internal/base/timeunit"
)

// Format is the version of the file's layout.
const Format = 1

const timeLayout = "2006-01-02T15:04:05.000000Z"

// A field is one line of a table. An empty text is not written.
type field struct {
	name   string
	format func(Table) string
	parse  func(*Table, string) error
}

// fields are in the order of the file.
var fields = []field{
	textField("source", func(t *Table) *string { return &t.Source }),
	textField("sql", func(t *Table) *string { return &t.SQL }),
	unlessZero(numberField("epoch", func(t *Table) *uint32 { return &t.Epoch })),
	{"key", func(t Table) string { return formatKinds(t.Kinds) }, parseKinds},
	numberField("generation", func(t *Table) *doc.Generation { return &t.Generation }),
	numberField("numbers", func(t *Table) *uint64 { return &t.Numbers }),
	timeField("load", func(t *Table) *time.Time { return &t.Load }),
	{"loaded", func(t Table) string { return strconv.FormatBool(t.Loaded) }, parseLoaded},
	timeField("settled", func(t *Table) *time.Time { return &t.Settled }),
	textField("settled.mode", func(t *Table) *string { return &t.Mode }),
	timeField("incremental", func(t *Table) *time.Time { return &t.Incremental }),
	timeField("incremental.clock", func(t *Table) *time.Time { return &t.Read }),
	timeField("incremental.clock.local", func(t *Table) *time.Time { return &t.ReadLocal }),
	unlessZero(numberField("out_of_range", func(t *Table) *uint64 { return &t.OutOfRange })),
	textField("server", func(t *Table) *string { return &t.Server }),
	timeField("clock", func(t *Table) *time.Time { return &t.Clock }),
	timeField("clock.local", func(t *Table) *time.Time { return &t.Local }),
	timeField("sweep", func(t *Table) *time.Time { return &t.Sweep }),
	numberField("rewinds", func(t *Table) *uint64 { return &t.Rewinds }),
	textField("unverified", func(t *Table) *string { return &t.Unverified }),
	textField("hidden", func(t *Table) *string { return &t.Hidden }),
}

// tierField returns the field of one tier.
func tierField(tier string) field {
	return field{
		name:   "tier." + tier,
		format: func(t Table) string { return t.Tiers[tier].UTC().Format(timeLayout) },
		parse: func(t *Table, s string) error {
			mark, err := time.Parse(timeLayout, s)
			if err != nil {
				return fmt.Errorf("%q is not a time like %s", s, timeLayout)
			}
			t.SetTier(tier, mark)
			return nil
		},
	}
}

// unitField returns the field of the unit of one SQL.
func unitField(path string) field {
	return field{
		name:   "unit." + path,
		format: func(t Table) string { return t.Units[path] },
		parse: func(t *Table, s string) error {
			if _, err := timeunit.Parse(s); err != nil && s != UnknownUnit {
				return err
			}
			t.SetUnit(path, s)
			return nil
		},
	}
}

// fieldsOf returns all fields of a table.
func fieldsOf(t Table) []field {
	all := slices.Clone(fields)
	for _, tier := range slices.Sorted(maps.Keys(t.Tiers)) {
		all = append(all, tierField(tier))
	}
	for _, path := range slices.Sorted(maps.Keys(t.Units)) {
		all = append(all, unitField(path))
	}
	return all
}

// fieldNamed returns the field of a mark.
func fieldNamed(mark string) (field, bool) {
	if tier, ok := strings.CutPrefix(mark, "tier."); ok && tier != "" {
		return tierField(tier), true
	}
	if path, ok := strings.CutPrefix(mark, "unit."); ok && path != "" {
		return unitField(path), true
	}
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == mark })
	if i < 0 {
		return field{}, false
	}
	return fields[i], true
}

func textField(name string, at func(*Table) *string) field {
	return field{
		name:   name,
		format: func(t Table) string { return *at(&t) },
		parse:  func(t *Table, s string) error { *at(t) = s; return nil },
	}
}

func numberField[N ~uint32 | ~uint64](name string, at func(*Table) *N) field {
	return field{
		name:   name,
		format: func(t Table) string { return strconv.FormatUint(uint64(*at(&t)), 10) },
		parse: func(t *Table, s string) error {
			v, err := strconv.ParseUint(s, 10, 64)
			if err != nil || uint64(N(v)) != v {
				return fmt.Errorf("%q is not a number", s)
			}
			*at(t) = N(v)
			return nil
		},
	}
}

// unlessZero writes no line for 0, as older versions of the file have none.
func unlessZero(f field) field {
	all := f.format
	f.format = func(t Table) string {
		if text := all(t); text != "0" {
			return text
		}
		return ""
	}
	return f
}

func timeField(name string, at func(*Table) *time.Time) field {
	return field{
		name: name,
		format: func(t Table) string {
			if at(&t).IsZero() {
				return ""
			}
			return at(&t).UTC().Format(timeLayout)
		},
		parse: func(t *Table, s string) (err error) {
			if *at(t), err = time.Parse(timeLayout, s); err != nil {
				return fmt.Errorf("%q is not a time like %s", s, timeLayout)
			}
			return nil
		},
	}
}

func parseLoaded(t *Table, s string) (err error) {
	if t.Loaded, err = strconv.ParseBool(s); err != nil {
		return fmt.Errorf("%q is neither true nor false", s)
	}
	return nil
}

func formatKinds(kinds []doc.Kind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.String()
	}
	return strings.Join(names, ",")
}

func parseKinds(t *Table, s string) error {
	for name := range strings.SplitSeq(s, ",") {
		kind, err := doc.ParseKind(name)
		if err != nil {
			return err
		}
		t.Kinds = append(t.Kinds, kind)
	}
	return nil
}

func load(text []byte) (*properties.Properties, error) {
	loader := properties.Loader{Encoding: properties.UTF8, DisableExpansion: true}
	return loader.LoadBytes(text)
}

// parse reads the file of a State. Its error is a *foreignError if another release may
// have written the file.
func parse(text []byte) (State, error) {
	if !bytes.HasSuffix(text, []byte("\n")) {
		return nil, errors.New("the last line has no newline: the file was cut short") // a cut number would be a smaller number
	}
	damage := sealed.CheckComment(text)
	lines, err := load(text)
	if err != nil {
		return nil, err
	}
	if got, _ := lines.Get("format"); got != strconv.Itoa(Format) {
		n, _ := strconv.Atoi(got) // 0: it is not a number
		err := fmt.Errorf("the format is %q, this release reads %d", got, Format)
		if n > Format && damage == nil {
			err = &foreignError{err, true}
		}
		return nil, err
	}
	if damage != nil {
		return nil, fmt.Errorf("%w: the file was damaged or edited", damage)
	}
	lines.Delete("format")
	entries, _ := lines.Get("entries")
	lines.Delete("entries")
	if entries != strconv.Itoa(lines.Len()) {
		return nil, fmt.Errorf("the file has %[2]d entries, and the line \"entries\" has %[1]q: it was cut short or edited", entries, lines.Len())
	}
	return parseMarks(lines)
}

// parseMarks reads the marks of a file or a value that is whole. Its error is a
// *foreignError.
func parseMarks(lines *properties.Properties) (State, error) {
	s := State{}
	for _, key := range lines.Keys() {
		text, _ := lines.Get(key)
		if err := s.parse(key, text); err != nil {
			return nil, &foreignError{err, errors.Is(err, errUnknown)}
		}
	}
	return s, nil
}

// errUnknown is the error of a mark that this release does not have.
var errUnknown = errors.New("unknown mark")

// parse parses one line.
func (s State) parse(key, text string) error {
	name, mark, _ := strings.Cut(key, ".")
	f, ok := fieldNamed(mark)
	if !ok {
		return fmt.Errorf("%w %q", errUnknown, key)
	}
	table := s[name]
	if err := f.parse(&table, text); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	s[name] = table
	return nil
}
