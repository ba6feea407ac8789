package apisuite

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A reply is the answer to the last call.
type reply struct {
	status int
	text   string
	body   any
}

// vars are what steps have set.
type vars map[string]any

// resolve replaces $name by its value, in all parts of a value.
func (v vars) resolve(in any) any {
	switch in := in.(type) {
	case string:
		if name, ok := strings.CutPrefix(in, "$"); ok && v[strings.Trim(name, "{}")] != nil {
			return v[strings.Trim(name, "{}")]
		}
		for name, value := range v {
			in = strings.ReplaceAll(in, "${"+name+"}", fmt.Sprint(value))
		}
		return in
	case []any:
		all := make([]any, len(in))
		for i := range in {
			all[i] = v.resolve(in[i])
		}
		return all
	case map[string]any:
		m := map[string]any{}
		for key, value := range in {
			m[fmt.Sprint(v.resolve(key))] = v.resolve(value)
		}
		return m
	}
	return in
}

// at returns the value of a path such as hits.hits.0._id.
func (r reply) at(path string, v vars) any {
	if path == "$body" || path == "" {
		if r.body == nil {
			return r.text
		}
		return r.body
	}
	now := r.body
	for part := range strings.SplitSeq(strings.ReplaceAll(path, `\.`, "\x00"), ".") {
		part = strings.ReplaceAll(part, "\x00", ".")
		if part == "$body" {
			continue
		}
		if name, ok := strings.CutPrefix(part, "$"); ok {
			part = fmt.Sprint(v[name])
		}
		switch in := now.(type) {
		case map[string]any:
			if now = in[part]; part == "_arbitrary_key_" {
				for key := range in {
					now = key
				}
			}
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			now = in[i]
		default:
			return nil
		}
	}
	return now
}

// check evaluates an assertion. It returns what is wrong, "" if nothing is.
func (r reply) check(s step, v vars) string {
	if s.kind == "is_true" || s.kind == "is_false" {
		got := r.at(fmt.Sprint(s.arg), v)
		is := got != nil && got != false && got != "" && got != 0.0 && got != "false"
		if is != (s.kind == "is_true") {
			return fmt.Sprintf("%s %v: got %v", s.kind, s.arg, short(got))
		}
		return ""
	}
	m, ok := s.arg.(map[string]any)
	if !ok {
		return fmt.Sprintf("%s has no arguments", s.kind)
	}
	for path, want := range m {
		if strings.HasSuffix(path, "reason") || strings.HasSuffix(path, "._version") {
			continue // not compared
		}
		got, want := r.at(path, v), plain(v.resolve(want))
		if !holds(s.kind, got, want) {
			return fmt.Sprintf("%s %s: got %s, want %s", s.kind, path, short(got), short(want))
		}
	}
	return ""
}

func short(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text[:min(len(text), 300)])
}

func holds(kind string, got, want any) bool {
	switch kind {
	case "match":
		return matches(got, want)
	case "length":
		n := -1
		switch got := got.(type) {
		case []any:
			n = len(got)
		case map[string]any:
			n = len(got)
		case string:
			n = len(got)
		}
		return equal(float64(n), want)
	case "contains":
		list, _ := got.([]any)
		text, isText := got.(string)
		return isText && strings.Contains(text, fmt.Sprint(want)) || slices.ContainsFunc(list, func(one any) bool { return equal(one, want) || has(one, want) })
	case "close_to":
		m, _ := want.(map[string]any)
		a, ok := got.(float64)
		value, isValue := m["value"].(float64)
		off, isOff := m["error"].(float64)
		return ok && isValue && isOff && math.Abs(a-value) <= off
	}
	a, isNumber := got.(float64)
	b, ok := want.(float64)
	if !isNumber || !ok {
		return false
	}
	return map[string]bool{"gt": a > b, "gte": a >= b, "lt": a < b, "lte": a <= b}[kind]
}

// has reports whether an object has the members of another one.
func has(one, want any) bool {
	m, ok := one.(map[string]any)
	w, isMap := want.(map[string]any)
	if !ok || !isMap {
		return false
	}
	for key, value := range w {
		if !equal(m[key], value) {
			return false
		}
	}
	return true
}

// matches compares a value with one of a test, which may be a regular expression
// between slashes.
func matches(got, want any) bool {
	if text, ok := want.(string); ok && len(strings.TrimSpace(text)) > 1 && strings.HasPrefix(strings.TrimSpace(text), "/") && strings.HasSuffix(strings.TrimSpace(text), "/") {
		text = strings.TrimSpace(text)
		e, err := regexp.Compile("(?x)" + strings.ReplaceAll(text[1:len(text)-1], `\/`, "/"))
		return err == nil && e.MatchString(fmt.Sprint(got))
	}
	if got == nil && want == false {
		return true
	}
	return equal(got, want)
}

// plain returns a value of YAML as JSON has it.
func plain(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		return v
	}
	var to any
	_ = json.Unmarshal(text, &to) // it is JSON
	return to
}

// equal compares JSON. Fields that are null are not there.
func equal(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && math.Abs(a-b) <= 1e-6*max(math.Abs(a), math.Abs(b))
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			return false
		}
		for key := range b {
			if a[key] == nil && b[key] != nil {
				return false
			}
		}
		for key, value := range a {
			if value != nil && !equal(value, b[key]) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	}
	return fmt.Sprint(a) == fmt.Sprint(b)
}
