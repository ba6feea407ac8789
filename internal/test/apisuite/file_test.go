package apisuite

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A suite is one test of a file, with the steps that come before it.
type suite struct {
	name  string // file and name
	setup []step
	steps []step
}

// A step is do, match or another one, with its argument.
type step struct {
	kind string
	arg  any
}

// load reads the tests of a file.
func load(path, name string) (all []suite, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var setup []step
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var part map[string]any
		if err := d.Decode(&part); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for title, v := range part {
			steps, err := stepsOf(v)
			switch {
			case err != nil:
				return nil, fmt.Errorf("%s: %s: %w", name, title, err)
			case title == "setup":
				setup = steps
			case title != "teardown":
				all = append(all, suite{name: name + ": " + title, steps: steps})
			}
		}
	}
	for i := range all {
		all[i].setup = setup
	}
	return all, nil
}

func stepsOf(v any) (steps []step, err error) {
	list, ok := v.([]any)
	if !ok && v != nil {
		return nil, fmt.Errorf("the steps are no list")
	}
	for _, one := range list {
		m, ok := one.(map[string]any)
		if !ok || len(m) != 1 {
			return nil, fmt.Errorf("step %v has not one key", one)
		}
		for kind, arg := range m {
			steps = append(steps, step{kind, texts(arg)})
		}
	}
	return steps, nil
}

// texts makes all keys of a value texts.
func texts(v any) any {
	switch v := v.(type) {
	case map[any]any:
		m := map[string]any{}
		for key, value := range v {
			m[fmt.Sprint(key)] = texts(value)
		}
		return m
	case map[string]any:
		for key, value := range v {
			v[key] = texts(value)
		}
	case []any:
		for i := range v {
			v[i] = texts(v[i])
		}
	}
	return v
}

// known are the features of runners that this one has.
var known = []string{"headers", "warnings", "allowed_warnings", "contains", "close_to", "stash_in_path", "default_shards", "no_xpack", "yaml", "arbitrary_key", "transform_and_set"}

// skipped returns why a test is not for this version or this runner, "" if it is. The
// tests of Elasticsearch know versions up to that from which OpenSearch is made.
func skipped(steps []step) string {
	for _, s := range steps {
		m, ok := s.arg.(map[string]any)
		if s.kind != "skip" || !ok {
			continue
		}
		if text, ok := m["version"].(string); ok && within(text) {
			return "not for this version"
		}
		list, ok := m["features"].([]any)
		if !ok && m["features"] != nil {
			for _, one := range strings.Split(fmt.Sprint(m["features"]), ",") {
				list = append(list, strings.TrimSpace(one))
			}
		}
		for _, f := range list {
			if !slices.Contains(known, fmt.Sprint(f)) {
				return fmt.Sprintf("the runner lacks %v", f)
			}
		}
	}
	return ""
}

// within reports whether a range of versions has 7.10.2. The form is "FROM - TO", where
// both may be empty, or all.
func within(text string) bool {
	if strings.TrimSpace(text) == "all" {
		return true
	}
	for one := range strings.SplitSeq(text, ",") {
		from, to, _ := strings.Cut(one, "-")
		if older(strings.TrimSpace(from), "7.10.2", true) && older("7.10.2", strings.TrimSpace(to), true) {
			return true
		}
	}
	return false
}

func older(a, b string, open bool) bool {
	if a == "" || b == "" {
		return open
	}
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		m, _ := strconv.Atoi(x[i])
		n, _ := strconv.Atoi(y[i])
		if m != n {
			return m < n
		}
	}
	return true
}
