package query

import (
	"fmt"
	"strconv"
	"strings"
)

// A Minimum is how many of some clauses must match, as the minimum_should_match of
// OpenSearch: 2, -1 (all but one), 75%, -25% (all but a quarter), or conditions such as
// "2<75% 9<-3": all of up to 2, 75 % of up to 9, and all but 3 of more. The zero
// Minimum is all.
type Minimum struct {
	text  string
	steps []step
}

// A step applies to more than so many clauses.
type step struct {
	above, n int
	percent  bool
}

// Exactly returns the Minimum that is a number.
func Exactly(n int) Minimum {
	return Minimum{strconv.Itoa(n), []step{{above: -1, n: n}}}
}

// ParseMinimum parses a Minimum.
func ParseMinimum(text string) (Minimum, error) {
	m := Minimum{text: text}
	spec := text
	for _, s := range []string{" <", "< "} {
		for strings.Contains(spec, s) {
			spec = strings.ReplaceAll(spec, s, "<")
		}
	}
	for part := range strings.FieldsSeq(spec) {
		st := step{above: -1}
		above, rest, conditional := strings.Cut(part, "<")
		if conditional {
			n, err := strconv.ParseInt(above, 10, 32)
			if err != nil {
				return Minimum{}, badMinimum(text)
			}
			st.above, part = int(n), rest
		}
		part, st.percent = strings.CutSuffix(part, "%")
		n, err := strconv.ParseInt(part, 10, 32)
		if err != nil || !conditional && len(m.steps) > 0 {
			return Minimum{}, badMinimum(text)
		}
		st.n = int(n)
		m.steps = append(m.steps, st)
	}
	if len(m.steps) == 0 {
		return Minimum{}, badMinimum(text)
	}
	return m, nil
}

func badMinimum(text string) error {
	return fmt.Errorf("%s is not a minimum: write 2, -1, 75%%, -25%% or 2<75%%", Shorten(text))
}

// Of returns how many of n clauses must match: 0 or more, and more than n if no number
// of them is enough.
func (m Minimum) Of(n int) int {
	result := n
	for _, st := range m.steps {
		if n <= st.above {
			break
		}
		result = st.n
		if st.percent {
			result = int(float32(n*st.n) * (1 / float32(100)))
		}
		if st.n < 0 {
			result += n
		}
	}
	return max(0, result)
}

// String returns the text that ParseMinimum reads.
func (m Minimum) String() string { return m.text }
