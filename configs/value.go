package configs

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // time zones do not depend on the machine's files

	"indexerd/internal/base/doc"
	"indexerd/internal/index/title"

	"go.yaml.in/yaml/v3"
)

// A value is what may stand after a key. read stores the node's value or records
// a fault.
type value interface {
	read(r *reader, at place, n *yaml.Node)
}

// text is any text that is not empty.
type text struct {
	to *string
}

func (v text) read(r *reader, at place, n *yaml.Node) {
	if s, ok := r.text(at, n); ok {
		*v.to = s.text
	}
}

// titled is a column, or a text with columns in braces. ${} is not expanded: it is a
// column after a dollar sign.
type titled struct {
	to *title.Template
}

func (v titled) read(r *reader, at place, n *yaml.Node) {
	n = target(n)
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
		r.fault(at, not(n, "text"))
		return
	}
	t, err := title.Parse(n.Value)
	switch {
	case errors.Is(err, title.ErrBraces):
		r.fault(at, title.ErrBraces.Error())
	case t.Columns() == nil:
		r.fault(at, "empty")
	default:
		*v.to = t
	}
}

// choice is one of a few words. absent are words that users may expect and that
// are not supported.
type choice struct {
	to     *string
	noun   string
	words  []string
	absent []string
}

func (v choice) read(r *reader, at place, n *yaml.Node) {
	s, ok := r.text(at, n)
	switch {
	case !ok:
	case slices.Contains(v.words, s.text):
		*v.to = s.text
	case slices.Contains(v.absent, s.text):
		r.fault(at, v.noun+s.shown()+" is not supported by this version")
	default:
		r.fault(at, "unknown "+v.noun+s.shown()+didYouMean(s.text, v.words))
	}
}

// names is a list of different names, or one of them alone.
type names struct {
	to    *[]string
	alone bool
}

func (v names) read(r *reader, at place, n *yaml.Node) {
	if n = target(n); v.alone && n.Kind == yaml.ScalarNode {
		if s, ok := r.text(at, n); ok {
			*v.to = []string{s.text}
		}
		return
	}
	r.items(at, n, func(at place, item *yaml.Node) {
		s, ok := r.text(at, item)
		switch {
		case !ok:
		case slices.Contains(*v.to, s.text):
			at.do = "keep one of them"
			r.fault(at, "duplicate name"+s.shown())
		default:
			*v.to = append(*v.to, s.text)
		}
	})
}

// dotted is a list of names, or one text of names with dots between them.
type dotted struct {
	names
}

func (v dotted) read(r *reader, at place, n *yaml.Node) {
	v.names.read(r, at, n)
	if target(n).Kind == yaml.ScalarNode && len(*v.to) == 1 {
		*v.to = strings.Split((*v.to)[0], ".")
	}
	if slices.Contains(*v.to, "") {
		r.fault(at, "a name is empty")
	}
}

// tableKey is the names of a table's key, or the word row. A column of that name is
// written in a list.
type tableKey struct {
	row *bool
	names
}

func (v tableKey) read(r *reader, at place, n *yaml.Node) {
	if n := target(n); n.Kind == yaml.ScalarNode && n.Value == "row" {
		*v.row = true
		return
	}
	v.names.read(r, at, n)
}

// number is a whole number.
type number struct {
	to       *int
	min, max int
}

func (v number) read(r *reader, at place, n *yaml.Node) {
	s, ok := r.scalar(at, n, "a whole number", "!!int")
	if !ok {
		return
	}
	i, err := strconv.ParseInt(s.text, 0, 64)
	switch {
	case err != nil:
		r.fault(at, "not a whole number")
	case i < int64(v.min):
		r.fault(at, "too small")
	case i > int64(v.max):
		r.fault(at, "too large")
	default:
		*v.to = int(i)
	}
}

// decimal is a number above 0, at most most.
type decimal struct {
	to   *float64
	most float64
}

// fromZero is a number from 0 to most. It is nil if it is missing.
type fromZero struct {
	to   **float64
	most float64
}

func (v fromZero) read(r *reader, at place, n *yaml.Node) {
	s, ok := r.scalar(at, n, "a number", "!!float", "!!int")
	if !ok {
		return
	}
	f, err := strconv.ParseFloat(s.text, 64)
	if err != nil || !(f >= 0 && f <= v.most) {
		r.fault(at, fmt.Sprintf("not a number from 0 to %v", v.most))
		return
	}
	*v.to = &f
}

func (v decimal) read(r *reader, at place, n *yaml.Node) {
	s, ok := r.scalar(at, n, "a number", "!!float", "!!int")
	if !ok {
		return
	}
	f, err := strconv.ParseFloat(s.text, 64)
	if err != nil || !(f > 0 && f <= v.most) {
		r.fault(at, fmt.Sprintf("not a number above 0 and up to %v", v.most))
		return
	}
	*v.to = f
}

// boolean is true or false.
type boolean struct {
	to **bool
}

func (v boolean) read(r *reader, at place, n *yaml.Node) {
	s, ok := r.scalar(at, n, "true or false", "!!bool")
	if !ok {
		return
	}
	b, err := strconv.ParseBool(strings.ToLower(s.text))
	if err != nil {
		r.fault(at, "not true or false")
		return
	}
	*v.to = &b
}

// duration is a duration above zero. If written is not nil, it is set to the
// text in the file.
type duration struct {
	to      *time.Duration
	written *string
}

func (v duration) read(r *reader, at place, n *yaml.Node) {
	s, ok := r.scalar(at, n, "a duration", "!!str")
	if !ok {
		return
	}
	d, ok := r.duration(at, s.text)
	if !ok {
		return
	}
	*v.to = d
	if v.written != nil {
		*v.written = s.text
	}
}

// endSettled stands for "settled" in Tier.End until setDefaults replaces it by
// the tier's timeout.
const endSettled time.Duration = -1

// tierEnd is latest, settled or a duration.
type tierEnd struct {
	to *time.Duration
}

func (v tierEnd) read(r *reader, at place, n *yaml.Node) {
	s, ok := r.text(at, n)
	if !ok {
		return
	}
	switch s.text {
	case "latest":
		*v.to = 0
	case "settled":
		*v.to = endSettled
	default:
		if near := didYouMean(s.text, []string{"latest", "settled"}); near != "" {
			r.fault(at, "unknown end"+s.shown()+near)
		} else if d, ok := r.duration(at, s.text); ok {
			*v.to = d
		}
	}
}

// size is a number of bytes.
type size struct {
	to   *int64
	most int64 // 0: no limit
}

func (v size) read(r *reader, at place, n *yaml.Node) {
	s, ok := r.scalar(at, n, "a size", "!!str", "!!int")
	if !ok {
		return
	}
	bytes, ok := parseSize(s.text)
	if !ok {
		r.fault(at, "not a size")
		return
	}
	if v.most > 0 && bytes > v.most {
		r.fault(at, "too large")
		return
	}
	*v.to = bytes
}

// zone is the name of a time zone.
type zone struct {
	to  *string
	loc **time.Location
}

func (v zone) read(r *reader, at place, n *yaml.Node) {
	s, ok := r.text(at, n)
	if !ok {
		return
	}
	// "Local" depends on the machine.
	loc, err := time.LoadLocation(s.text)
	if err != nil || s.text == "Local" {
		r.fault(at, "unknown time zone"+s.shown())
		return
	}
	*v.to, *v.loc = s.text, loc
}

// statement is one SQL SELECT. ${} is not expanded, since SQL may contain it.
type statement struct {
	to *string
}

func (v statement) read(r *reader, at place, n *yaml.Node) {
	n = target(n)
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
		r.fault(at, not(n, "text"))
		return
	}
	sql, what := cleanSQL(n.Value)
	if what != "" {
		r.fault(at, what)
		return
	}
	*v.to = sql
}

// constants is a list of values, each of its YAML type. NULL is rejected: no
// comparison with NULL is true.
type constants struct {
	to *[]any
}

func (v constants) read(r *reader, at place, n *yaml.Node) {
	r.items(at, n, func(at place, item *yaml.Node) { v.readItem(r, at, item) })
}

func (v constants) readItem(r *reader, at place, n *yaml.Node) {
	if isNull(n) {
		r.fault(at, "NULL is not allowed")
		return
	}
	s, ok := r.scalar(at, n, "text, a number, true or false", "!!str", "!!int", "!!float", "!!bool")
	if !ok {
		return
	}
	c, err := s.constant(target(n).ShortTag())
	if err != nil {
		r.fault(at, "out of range")
		return
	}
	*v.to = append(*v.to, c)
}

// duration returns a duration above zero in Go's format, which may also begin
// with days: 90s, 1h30m, 1d12h.
func (r *reader) duration(at place, s string) (time.Duration, bool) {
	d, err := doc.ParseDuration(s)
	switch {
	case err != nil:
		r.fault(at, "not a duration")
		return 0, false
	case d <= 0:
		r.fault(at, "zero or negative")
		return 0, false
	}
	return d, true
}

// parseSize returns a number of bytes above zero: 65536, 64KiB, 64MiB, 1GiB.
func parseSize(s string) (int64, bool) {
	unit := int64(1)
	for i, name := range []string{"KiB", "MiB", "GiB"} {
		if number, ok := strings.CutSuffix(s, name); ok {
			s, unit = number, 1<<(10*(i+1))
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/unit {
		return 0, false
	}
	return n * unit, true
}
