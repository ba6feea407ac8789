package configs

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/test/golden"
)

// reference is generated from referenceMark on. The text before it is not
// generated.
const (
	reference     = "../docs/configuration.md"
	referenceMark = "<!-- From here on `go generate ./configs` writes this file. -->\n"
)

// TestReference compares docs/configuration.md with the table of keys. With
// -update it writes the file: see go generate in keys.go.
func TestReference(t *testing.T) {
	var b strings.Builder
	writeReference(t, &b, map[string]string{}, "", mapping{fileKeys(new(Config))})
	golden.CheckAfter(t, reference, referenceMark, b.String())
}

// writeReference writes a list of a mapping's keys, then those of the mappings
// below it. Mappings with equal keys have one list: seen is the path of each list
// that is written.
func writeReference(t *testing.T, b *strings.Builder, seen map[string]string, path string, m mapping) {
	t.Helper()
	var list strings.Builder
	for _, k := range m.keys {
		fmt.Fprintf(&list, "- `%s`: %s%s. %s\n", k.name, describe(t, k.value), byDefault(k), k.means)
	}
	fmt.Fprintf(b, "\n## %s\n\n", cmp.Or(path, "the file"))
	if same := seen[list.String()]; same != "" {
		fmt.Fprintf(b, "The keys are those of `%s`.\n", same)
		return
	}
	seen[list.String()] = path
	b.WriteString(list.String())
	for _, k := range m.keys {
		if below, inner := innerMapping(k.value, join(path, k.name)); inner != nil {
			writeReference(t, b, seen, below, *inner)
		}
	}
}

// byDefault returns what follows the value of a key: its default, if it has one.
func byDefault(k key) string {
	switch {
	case k.need:
		return ", required"
	case k.without == "":
		return ""
	case isYAML(k):
		return "; default `" + k.without + "`"
	}
	return "; default: " + k.without
}

// isYAML reports whether a default can be written into a file as it stands.
func isYAML(k key) bool { return k.without != "" && !strings.Contains(k.without, " ") }

// innerMapping returns the mapping that a value is or contains, and its path.
func innerMapping(v value, path string) (string, *mapping) {
	switch v := v.(type) {
	case mapping:
		return path, &v
	case either:
		return path, &v.mapping
	case timeColumn:
		return path, &v.mapping
	case named:
		return innerMapping(v.of("x"), path+".NAME")
	case list:
		return innerMapping(v.of(), path+"[]")
	}
	return "", nil
}

// describe returns the text of the column "value".
func describe(t *testing.T, v value) string {
	t.Helper()
	switch v := v.(type) {
	case text:
		return "text"
	case titled:
		return "name, or text with names in braces"
	case choice:
		return "`" + strings.Join(v.words, "`, `") + "`"
	case stems:
		return describe(t, v.choice)
	case timeColumn:
		return "name, or mapping"
	case dotted:
		return "names with dots between them, or list of names"
	case tableKey:
		return "`row`, name, or list of names"
	case names:
		if v.alone {
			return "name, or list of names"
		}
		return "list of names"
	case number:
		return fmt.Sprintf("whole number, %d to %d", v.min, v.max)
	case decimal:
		return fmt.Sprintf("number above 0, up to %v", v.most)
	case fromZero:
		return fmt.Sprintf("number, 0 to %v", v.most)
	case boolean:
		return "`true` or `false`"
	case duration:
		return "duration"
	case hours:
		return "hours of the day"
	case tierEnd:
		return "`latest`, `settled`, or a duration"
	case size:
		return "size"
	case zone:
		return "time zone"
	case statement:
		return "SELECT"
	case constants:
		return "list of values"
	case mapping, either:
		return "mapping"
	case named:
		return "mapping from names to " + describe(t, v.of("x"))
	case list:
		return "list of " + describe(t, v.of())
	}
	t.Fatalf("no description of a value of type %T", v)
	return ""
}

// A file that sets a key to its documented default is the same as a file
// without the key.
func TestDocumentedDefaults(t *testing.T) {
	const content = "    content: {fields: [title]}\n"
	described := mustParse(t, minimal)
	described.lines = nil
	for _, test := range []struct {
		line string // of a key and its default, in place of minimal's content
		keys []key
	}{
		{content + "http: {%s: %s}", httpKeys(new(HTTP))},
		{content + "    %s: %s", tableKeys(new(Table))},
		{"    content: {fields: [title], %s: %s}", contentKeys(new(Content))},
		{content + "    incremental: {%s: %s}", incrementalKeys(new(Incremental))},
		{content + "    compensate: {%s: %s}", compensateKeys(new(Compensate))},
		{
			content + "    compensate: {tiers: [{every: 1m, timeout: 1m, %s: %s}, {every: 3m, timeout: 3m}, {every: 10m, timeout: 10m, end: settled}]}",
			tierKeys(new(Tier)),
		},
		{content + "    deletecheck: {%s: %s}", deleteCheckKeys(new(DeleteCheck))},
		{content + "    pages: {%s: %s}", pagesKeys(new(Pages))},
	} {
		keys := slices.DeleteFunc(test.keys, func(k key) bool { return !isYAML(k) })
		if len(keys) == 0 {
			t.Errorf("%s: got no default to test", test.line)
		}
		for _, k := range keys {
			line := fmt.Sprintf(test.line, k.name, k.without)
			got := mustParse(t, strings.Replace(minimal, content, line+"\n", 1))
			got.lines, got.Tables[0].positions, got.Tables[0].fresh = nil, nil, nil
			if !reflect.DeepEqual(got, described) {
				t.Errorf("%s: got\n%+v, want the same as without the key\n%+v", line, got, described)
			}
		}
	}
}
