package dsl

import (
	"encoding/json"
	"strings"
	"time"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/osapi/format"
	"indexerd/internal/serve/osapi/input"
	"indexerd/internal/serve/osapi/mapping"
)

// An edge is one end of a range.
type edge struct {
	text      string
	exclusive bool
}

// A rangeOf is a range as a query has it. A nil edge is open.
type rangeOf struct {
	from, to *edge
	formats  []string       // of dates; none: the default
	zone     *time.Location // of dates without one; nil is UTC
}

// ranged finds values between two bounds.
func (t *Translator) ranged(body json.RawMessage) (query.Node, error) {
	f, o := t.oneField("range", "gte", body, "gt", "lt", "lte", "from", "to", "include_lower", "include_upper", "format", "time_zone", "relation")
	var r rangeOf
	o.end(&r.from, "gte", false)
	o.end(&r.from, "gt", true)
	o.end(&r.from, "from", !o.flag("include_lower", true))
	o.end(&r.to, "lte", false)
	o.end(&r.to, "lt", true)
	o.end(&r.to, "to", !o.flag("include_upper", true))
	o.word("relation", "intersects", "within", "contains") // a value is a point
	if o.has("format") {
		r.formats = strings.Split(o.text("format"), "||")
	}
	if r.zone = time.UTC; o.has("time_zone") {
		var err error
		if r.zone, err = format.Zone(o.text("time_zone")); err != nil {
			o.fail("time_zone: %v", err)
		}
	}
	if o.err != nil {
		return nil, o.err
	}
	return o.boosted(t.inRange(f, r))
}

// end reads one end of a range.
func (o *options) end(to **edge, name string, exclusive bool) {
	if !o.has(name) {
		return
	}
	if *to != nil {
		o.fail("has two bounds on one side")
	}
	*to = &edge{o.text(name), exclusive}
}

// inRange finds the values of a range, or the terms of text.
func (t *Translator) inRange(f mapping.Field, r rangeOf) (query.Node, error) {
	if f.Type == "" {
		return query.None(), nil
	}
	n, err := t.between(f, r)
	if err != nil {
		return nil, err
	}
	return Constant(n), nil
}

func (t *Translator) between(f mapping.Field, r rangeOf) (query.Node, error) {
	switch f.Type {
	case mapping.Date:
		return t.dates(f, r)
	case mapping.ID, mapping.IndexName:
		return nil, input.Error(input.NotOfField, "failed to create query: Field [%s] of type [%s] does not support range queries", f.Name, f.Type)
	case mapping.Double, mapping.Boolean:
		for _, e := range []*edge{r.from, r.to} {
			if e != nil {
				if _, err := t.SameValue(f, e.text); err != nil {
					return nil, err
				}
			}
		}
	}
	if r.to != nil && r.to.text == "" {
		return query.None(), nil // no text is before it
	}
	n := query.Range{Field: f.Name}
	if r.from != nil {
		n.Min = query.Bound{Text: r.from.text, Exclusive: r.from.exclusive}
	}
	if r.to != nil {
		n.Max = query.Bound{Text: r.to.text, Exclusive: r.to.exclusive}
	}
	if f.Type == mapping.Text {
		return query.Between(n), nil
	}
	return n, nil
}

// dates finds the dates of a range. OpenSearch compares milliseconds: a bound means all
// of its millisecond.
func (t *Translator) dates(f mapping.Field, r rangeOf) (query.Node, error) {
	n := query.Range{Field: f.Name}
	bound := func(e *edge, up bool, to *query.Bound) error {
		if e == nil {
			return nil
		}
		at, err := t.Date(e.text, r.formats, r.zone, up)
		if err != nil {
			return err
		}
		if up {
			at = at.Add(time.Millisecond)
		}
		*to = query.Bound{Text: at.UTC().Format("2006-01-02T15:04:05.000Z07:00")}
		if year := at.UTC().Year(); year < 1 || year > 9999 {
			*to = query.Bound{Text: outOfYears[year > 9999]}
		}
		return nil
	}
	if err := bound(r.from, r.from != nil && r.from.exclusive, &n.Min); err != nil {
		return nil, err
	}
	if err := bound(r.to, r.to != nil && !r.to.exclusive, &n.Max); err != nil {
		return nil, err
	}
	n.Max.Exclusive = n.Max.Text != ""
	return n, nil
}

// outOfYears are the bounds for dates before and after the years that an index has.
var outOfYears = map[bool]string{false: "0001-01-01T00:00:00.000Z", true: "9999-12-31T23:59:59.999Z"}

// Date reads a date in one of some formats, or now or a date and ||, with date math behind
// it. Without a format it is that of a date field, and without a zone it is UTC. up returns
// the last millisecond of what is not written.
func (t *Translator) Date(text string, formats []string, zone *time.Location, up bool) (time.Time, error) {
	if zone == nil {
		zone = time.UTC
	}
	if len(formats) == 0 {
		formats = []string{"strict_date_optional_time", "epoch_millis"}
	}
	math, isNow := strings.CutPrefix(text, "now")
	at := t.now
	if !isNow {
		var found bool
		var base string
		var err error
		base, math, found = strings.Cut(text, "||")
		if at, err = format.ParseDate(base, formats, zone, up && !found); err != nil {
			return at, err
		}
	}
	return format.DateMath(math, at.In(zone), up)
}
