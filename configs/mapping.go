package configs

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"indexerd/internal/base/nearest"
)

// A mapping has keys of fixed names.
type mapping struct {
	keys []key
}

func (m mapping) read(r *reader, at place, n *yaml.Node) {
	entries, ok := r.entries(at, n)
	if !ok {
		return
	}
	meant := r.unknownKeys(at, entries, m.keys)
	for _, k := range m.keys {
		i := slices.IndexFunc(entries, func(e entry) bool { return e.name == k.name })
		switch {
		case i >= 0:
			r.enter(at, entries[i], k.hint(), k.value)
		case k.need && !meant[k.name]:
			r.fault(place{join(at.path, k.name), at.line, k.hint()}, "missing")
		}
	}
}

// unknownKeys reports entries that are not in keys. It returns the keys that
// were probably meant, so that they are not also reported as missing.
func (r *reader) unknownKeys(at place, entries []entry, keys []key) (meant map[string]bool) {
	var names []string
	for _, k := range keys {
		names = append(names, k.name)
	}
	meant = map[string]bool{}
	for _, e := range entries {
		if slices.Contains(names, e.name) {
			continue
		}
		meant[nearest.Name(e.name, names)] = true
		r.fault(at.key(e, "correct or remove it"), "unknown key"+didYouMean(e.name, names))
	}
	return meant
}

// either is a mapping with exactly one of two keys.
type either struct {
	mapping
	this, that string
}

func (v either) read(r *reader, at place, n *yaml.Node) {
	v.mapping.read(r, at, n)
	if target(n).Kind != yaml.MappingNode {
		return // already reported
	}
	this, that := r.config.given(join(at.path, v.this)), r.config.given(join(at.path, v.that))
	switch {
	case this && that:
		r.wrong(join(at.path, v.that), "not allowed together with "+v.this, "keep one of them")
	case !this && !that:
		r.wrong(join(at.path, v.this), "missing", "write "+v.this+" or "+v.that)
	}
}

// timeColumn is the name of a column, or a mapping of the column and its unit.
type timeColumn struct {
	mapping
}

func (v timeColumn) read(r *reader, at place, n *yaml.Node) {
	switch target(n).Kind {
	case yaml.MappingNode:
		v.mapping.read(r, at, n)
	case yaml.ScalarNode:
		v.keys[0].value.read(r, at, n)
	default:
		r.fault(at, not(n, "the name of a column"))
	}
}

// named is a mapping from names that the user chooses to values of one kind.
type named struct {
	pattern string // of the names
	do      string // how to write one
	some    bool   // there must be one
	of      func(name string) value
}

func (m named) read(r *reader, at place, n *yaml.Node) {
	entries, ok := r.entries(at, n)
	if !ok {
		return
	}
	if m.some && len(entries) == 0 {
		r.fault(at, "empty")
	}
	pattern := regexp.MustCompile(m.pattern)
	for _, e := range entries {
		if !pattern.MatchString(e.name) {
			r.fault(at.key(e, m.do), "invalid name")
			continue
		}
		r.enter(at, e, at.do, m.of(e.name))
	}
}

// A list holds values of one kind, at least one.
type list struct {
	of func() value
}

func (l list) read(r *reader, at place, n *yaml.Node) {
	r.items(at, n, func(at place, item *yaml.Node) { l.of().read(r, at, item) })
}

// items calls read for each item of a list. An empty list is a fault.
func (r *reader) items(at place, n *yaml.Node, read func(at place, item *yaml.Node)) {
	n = target(n)
	if n.Kind != yaml.SequenceNode {
		r.fault(at, not(n, "a list"))
		return
	}
	if len(n.Content) == 0 {
		r.fault(at, "empty")
	}
	for i, item := range n.Content {
		at := place{fmt.Sprintf("%s[%d]", at.path, i), item.Line, at.do}
		r.config.lines[at.path] = at.line
		read(at, item)
	}
}

// An entry is one key of a mapping, with its value.
type entry struct {
	name  string
	line  int
	value *yaml.Node
}

// enter reads the value of an entry.
func (r *reader) enter(at place, e entry, do string, v value) {
	inner := place{join(at.path, e.name), e.line, do}
	r.config.lines[inner.path] = e.line
	v.read(r, inner, e.value)
}

// key returns the place of a wrong key. Its path ends in the key unless the key
// may be part of a secret: without quotes, YAML splits a secret inside { } into
// keys.
func (at place) key(e entry, do string) place {
	for within, secret := range map[string]string{"sources": "dsn", "http.tokens": "token", "http.tls": "path"} {
		if at.path == within || strings.HasPrefix(at.path, within+".") {
			return place{at.path, e.line, do + ", and quote a " + secret + " with a comma or colon in it"}
		}
	}
	if !showable(e.name) {
		return place{at.path, e.line, do}
	}
	return place{join(at.path, e.name), e.line, do}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// entries returns a mapping's keys in file order, then those that << merges
// into it.
func (r *reader) entries(at place, n *yaml.Node) ([]entry, bool) {
	n = target(n)
	if n.Kind != yaml.MappingNode {
		r.fault(at, not(n, "a mapping"))
		return nil, false
	}
	return r.flatten(at, n, map[*yaml.Node]bool{}), true
}

// flatten returns the entries of a mapping. It merges each mapping once, so that
// mappings that merge each other end.
func (r *reader) flatten(at place, n *yaml.Node, seen map[*yaml.Node]bool) []entry {
	if seen[n] {
		return nil
	}
	seen[n] = true
	entries, merged := r.ownEntries(at, n)
	names := map[string]bool{}
	for _, e := range entries {
		names[e.name] = true
	}
	for _, m := range merged {
		if m.Kind != yaml.MappingNode {
			r.fault(place{at.path, m.Line, "write << only before the alias of a mapping"}, kind(m)+" can't be merged")
			continue
		}
		for _, e := range r.flatten(at, m, seen) {
			if !names[e.name] {
				names[e.name] = true
				entries = append(entries, e)
			}
		}
	}
	return entries
}

// ownEntries returns the entries of a mapping without merged ones, and the
// mappings that it merges.
func (r *reader) ownEntries(at place, n *yaml.Node) (entries []entry, merged []*yaml.Node) {
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := target(n.Content[i]), target(n.Content[i+1])
		e := entry{k.Value, n.Content[i].Line, v}
		first, twice := lines[e.name]
		switch {
		case k.Kind != yaml.ScalarNode:
			r.fault(place{at.path, e.line, "write a name before the colon"}, kind(k)+" can't be a key")
		case k.Tag == "!!merge" && v.Kind == yaml.SequenceNode:
			for _, item := range v.Content {
				merged = append(merged, target(item))
			}
		case k.Tag == "!!merge":
			merged = append(merged, v)
		case twice:
			r.fault(at.key(e, fmt.Sprintf("keep one of them, the first is on line %d", first)), "duplicate key")
		default:
			lines[e.name] = e.line
			entries = append(entries, e)
		}
	}
	return entries, merged
}
