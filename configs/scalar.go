package configs

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A scalar is a single value with ${} replaced.
type scalar struct {
	text     string
	expanded bool // contains an environment variable's value
}

// shown returns a space and the text if a fault may show it, or "".
func (s scalar) shown() string {
	if s.expanded || !showable(s.text) {
		return ""
	}
	return " " + s.text
}

// showable reports whether a fault may show s. Names may be shown; no DSN looks
// like a name.
func showable(s string) bool {
	return regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_-]{0,39}$`).MatchString(s)
}

// text returns a text that is not empty.
func (r *reader) text(at place, n *yaml.Node) (scalar, bool) {
	s, ok := r.scalar(at, n, "text", "!!str")
	if ok && strings.TrimSpace(s.text) == "" {
		r.fault(at, "empty")
		return s, false
	}
	return s, ok
}

// scalar returns a value with one of the YAML tags. A text with ${} in it may
// stand for any tag.
func (r *reader) scalar(at place, n *yaml.Node, want string, tags ...string) (scalar, bool) {
	n = target(n)
	if n.Kind != yaml.ScalarNode {
		r.fault(at, not(n, want))
		return scalar{}, false
	}
	s := scalar{text: n.Value}
	if n.ShortTag() == "!!str" {
		var ok bool
		if s, ok = r.expand(at, n.Value); !ok {
			return s, false
		}
	}
	if !s.expanded && !slices.Contains(tags, n.ShortTag()) {
		r.fault(at, not(n, want))
		return s, false
	}
	return s, true
}

// constant returns the value as a string, int64, float64 or bool, by its YAML
// tag. A value from the environment is always a string.
func (s scalar) constant(tag string) (any, error) {
	switch {
	case s.expanded:
		return s.text, nil
	case tag == "!!int":
		return strconv.ParseInt(s.text, 0, 64)
	case tag == "!!float":
		f, err := strconv.ParseFloat(s.text, 64)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			err = strconv.ErrRange
		}
		return f, err
	case tag == "!!bool":
		return strconv.ParseBool(strings.ToLower(s.text))
	}
	return s.text, nil
}

// target returns the node that an alias stands for, or n.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	n = target(n)
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// not returns the fault of a node of the wrong kind.
func not(n *yaml.Node, want string) string {
	if isNull(n) {
		return "no value"
	}
	return kind(n) + ", not " + want
}

// kind returns the kind of a node as faults name it.
func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!str":
		return "text"
	case "!!int", "!!float":
		return "a number"
	case "!!bool":
		return "true or false"
	case "!!null":
		return "nothing"
	case "!!timestamp":
		return "a date"
	}
	return "a value with a YAML tag"
}
