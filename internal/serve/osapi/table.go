package osapi

import (
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"indexerd/internal/index/query"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/osapi/input"
)

// A table is a list for people: columns and rows of text.
type table struct {
	columns []string
	rows    [][]string
}

// inList are the parameters of a list in the URL.
var inList = []string{"v", "h", "s"}

// list returns rows as objects or as text: the columns that the caller names in h, in
// the order of s, with a header for v.
func list(c *call, columns []string, rows [][]string) (any, error) {
	v := c.URL.Query()
	if err := checkURL(v, inList); err != nil {
		return nil, err
	}
	t := table{columns, rows}
	if err := t.sort(v.Get("s")); err != nil {
		return nil, err
	}
	if h := v.Get("h"); h != "" {
		t = t.only(strings.Split(h, ","))
	}
	if format := v.Get("format"); format == "json" || format == "" && acceptsJSON(c.Header) {
		return t.objects(), nil
	}
	return httpapi.PlainText(t.text(v.Has("v") && v.Get("v") != "false")), nil
}

// acceptsJSON reports whether a client names JSON and no other type.
func acceptsJSON(h http.Header) bool {
	kind, _, _ := strings.Cut(h.Get("Accept"), ";")
	return strings.TrimSpace(kind) == "application/json"
}

// only returns the columns with some names, which may have *.
func (t table) only(names []string) table {
	shown := table{rows: make([][]string, len(t.rows))}
	for _, name := range names {
		for at, column := range t.columns {
			if ok, err := path.Match(strings.TrimSpace(name), column); err != nil || !ok {
				continue
			}
			shown.columns = append(shown.columns, column)
			for i, row := range t.rows {
				shown.rows[i] = append(shown.rows[i], row[at])
			}
		}
	}
	return shown
}

// sort sorts the rows by a list of columns, each with an optional :desc. Numbers are
// sorted as such.
func (t table) sort(by string) error {
	if by == "" {
		return nil
	}
	list := strings.Split(by, ",")
	slices.Reverse(list) // the first column is sorted by last, and the sort is stable
	for _, one := range list {
		name, order, _ := strings.Cut(one, ":")
		at := slices.Index(t.columns, name)
		if at < 0 || order != "" && order != "asc" && order != "desc" {
			return input.ParsingError("unable to sort by unknown sort key [%s]", query.Shorten(one))
		}
		slices.SortStableFunc(t.rows, func(a, b []string) int {
			c := compareCells(a[at], b[at])
			if order == "desc" {
				c = -c
			}
			return c
		})
	}
	return nil
}

func compareCells(a, b string) int {
	x, errA := strconv.ParseInt(a, 10, 64)
	y, errB := strconv.ParseInt(b, 10, 64)
	if errA == nil && errB == nil {
		return int(min(max(x-y, -1), 1))
	}
	return strings.Compare(a, b)
}

// objects returns the rows with the names of their columns. An empty cell is null.
func (t table) objects() []map[string]*string {
	objects := make([]map[string]*string, len(t.rows))
	for i, row := range t.rows {
		objects[i] = map[string]*string{}
		for at, name := range t.columns {
			objects[i][name] = nil
			if row[at] != "" {
				objects[i][name] = &row[at]
			}
		}
	}
	return objects
}

// text returns aligned lines.
func (t table) text(header bool) string {
	rows := t.rows
	if header {
		rows = append([][]string{t.columns}, rows...)
	}
	widths := make([]int, len(t.columns))
	for _, row := range rows {
		for at, cell := range row {
			widths[at] = max(widths[at], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		for at, cell := range row {
			b.WriteString(cell)
			if at < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[at]-utf8.RuneCountInString(cell)+1))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
