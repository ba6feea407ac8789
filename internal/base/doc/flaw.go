package doc

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A BadValue is what a database returned in place of a value that a document can
// have: NaN, infinity, text that is not UTF-8. A document shows and searches its
// text, and has no value for filters, facets and sorts. A Row stores it as
//
//	{"text":"NaN","reason":"NaN is no number that can be indexed"}
//
// so a document that is built from its page lacks the same values.
type BadValue struct {
	Text   string `json:"text"` // valid UTF-8
	Reason string `json:"reason"`
}

// NewBadValue returns a value with this text. A byte that is not UTF-8 becomes U+FFFD.
func NewBadValue(text, reason string) BadValue {
	const replacement = "\uFFFD"
	return BadValue{strings.ToValidUTF8(text, replacement), strings.ToValidUTF8(reason, replacement)}
}

// MarshalJSON returns the text, which callers see in place of a value.
func (b BadValue) MarshalJSON() ([]byte, error) { return AppendString(nil, b.Text) }

// String returns the text.
func (b BadValue) String() string { return b.Text }

// appendBadValue writes the form that a Row stores.
func appendBadValue(dst []byte, b BadValue) (_ []byte, err error) {
	dst = append(dst, `{"text":`...)
	if dst, err = AppendString(dst, b.Text); err != nil {
		return nil, err
	}
	dst = append(dst, `,"reason":`...)
	if dst, err = AppendString(dst, b.Reason); err != nil {
		return nil, err
	}
	return append(dst, '}'), nil
}

// stored parses what appendBadValue wrote, or a JSON:
//
//	{"json":{"city":"Berlin"}}
func (p *parser) stored() (any, error) {
	var b BadValue
	var object any
	seen := 0
	err := p.object(func(name string) (err error) {
		switch {
		case name == "json" && seen == 0:
			object, err = p.jsonValue()
		case name == "text" && seen == 0:
			b.Text, err = p.string()
		case name == "reason" && seen == 1 && object == nil:
			b.Reason, err = p.string()
		default:
			err = fmt.Errorf("byte %d: a value has an unexpected member %q", p.pos, name)
		}
		seen++
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case object != nil:
		return object, nil
	case seen != 2:
		return nil, p.fault("a text and a reason")
	}
	return b, nil
}

// A Flaw is a value of a row that its document lacks, since it does not fit the type of
// its field.
type Flaw struct {
	Column string `json:"column"` // or the child's name
	Reason string `json:"reason"`
}

// String names the column and the reason.
func (f Flaw) String() string { return "column " + f.Column + ": " + f.Reason }

// maxReason limits the reason of a flaw, in bytes.
const maxReason = 200

// NewFlaw returns a flaw with a bounded reason of valid UTF-8.
func NewFlaw(column, reason string) Flaw {
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + "..."
	}
	return Flaw{column, strings.ToValidUTF8(reason, "\uFFFD")}
}

// FlawsText returns flaws on one line.
func FlawsText(flaws []Flaw) string {
	texts := make([]string, len(flaws))
	for i, f := range flaws {
		texts[i] = f.String()
	}
	return strings.Join(texts, "; ")
}

// A Partial is a document that lacks values of its row. Hash is the document's.
type Partial struct {
	OID   OID
	Hash  DocHash
	Flaws []Flaw
}

// Key returns the OID.
func (p Partial) Key() OID { return p.OID }

// Same reports whether both are the same document with the same flaws.
func (p Partial) Same(q Partial) bool {
	return p.OID == q.OID && p.Hash == q.Hash && slices.Equal(p.Flaws, q.Flaws)
}

var _ json.Marshaler = BadValue{}
