package timetrace

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/magiconair/properties"

	"indexerd/internal/base/sealed"
)

// A block is the lines of one table.
type block struct {
	text  string
	lines []line
}

// A line is one mark of a table.
type line struct{ mark, value, text string }

// formatTable returns the lines of a table, and the table as a restart reads them.
// It fails where they can't be read, so that an unreadable file never replaces a
// readable one. Lines of the block before that stay as they are were read then.
func formatTable(name string, table Table, before block) (b block, read Table, err error) {
	for _, f := range fieldsOf(table) {
		value := f.format(table)
		if value == "" {
			continue
		}
		if err := f.parse(&read, value); err != nil {
			return block{}, table, fmt.Errorf("%s.%s: %w", name, f.name, err)
		}
		text := before.textOf(f.name, value)
		if text == "" && isPlain(name, "_") && isPlain(f.name, "_.") && isPlain(value, "_.-+:") {
			text = name + "." + f.name + " = " + value + "\n"
		}
		b.lines = append(b.lines, line{f.name, value, text})
	}
	if err := b.formatNew(name); err != nil {
		return block{}, table, err
	}
	var text strings.Builder
	for _, l := range b.lines {
		text.WriteString(l.text)
	}
	b.text = text.String()
	return b, read, nil
}

// textOf returns the text of a line; "": the block does not have it.
func (b block) textOf(mark, value string) string {
	for _, l := range b.lines {
		if l.mark == mark && l.value == value {
			return l.text
		}
	}
	return ""
}

// isPlain reports whether a text has letters, digits and some other characters alone. The
// library writes such texts as they are. All times and numbers are, which move all the time.
func isPlain(text, others string) bool {
	return text != "" && strings.TrimLeft(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"+others) == ""
}

// formatNew formats the lines that have no text yet, and reads them again.
func (b block) formatNew(name string) error {
	if !slices.ContainsFunc(b.lines, func(l line) bool { return l.text == "" }) {
		return nil
	}
	lines := properties.NewProperties()
	lines.DisableExpansion = true
	for _, l := range b.lines {
		if l.text != "" {
			continue
		}
		if _, _, err := lines.Set(name+"."+l.mark, l.value); err != nil {
			return err
		}
	}
	var text strings.Builder
	if _, err := lines.Write(&text, properties.UTF8); err != nil {
		return err
	}
	read, err := load([]byte(text.String()))
	if err != nil {
		return err
	}
	next, stop := iter.Pull(strings.Lines(text.String()))
	defer stop()
	for i := range b.lines {
		l := &b.lines[i]
		if l.text != "" {
			continue
		}
		key := name + "." + l.mark
		if got, _ := read.Get(key); got != l.value {
			return fmt.Errorf("%s: %q would be read as %q", key, l.value, got)
		}
		if err := (State{}).parse(key, l.value); err != nil {
			return err
		}
		l.text, _ = next()
	}
	return nil
}

// join returns the file of all tables.
func join(blocks map[string]block, release string) []byte {
	entries, size := 0, 0
	for _, b := range blocks {
		entries, size = entries+len(b.lines), size+len(b.text)
	}
	var file bytes.Buffer
	file.Grow(size + 200)
	fmt.Fprintf(&file, "# How far each pass of each table has come: replaced atomically.\n%sformat = %d\nentries = %d\n", header(release), Format, entries)
	for _, name := range slices.Sorted(maps.Keys(blocks)) {
		file.WriteString(blocks[name].text)
	}
	return sealed.AppendComment(file.Bytes())
}

// formatAll returns the lines of tables, and the tables as a restart reads them.
func formatAll(s State) (blocks map[string]block, read State, err error) {
	blocks, read = make(map[string]block, len(s)), make(State, len(s))
	for name, table := range s {
		if blocks[name], read[name], err = formatTable(name, table, block{}); err != nil {
			return nil, nil, err
		}
	}
	return blocks, read, nil
}
