package query

import (
	"fmt"
	"slices"
	"strings"

	"indexerd/internal/base/doc"
)

// ChildValue returns the value of a row of a child, for the index and for hits:
// the value of its column, or the texts of several columns joined by spaces,
// without columns that are NULL or empty. Without columns, it is the value of the
// only column that is not in skip. If one of several columns is a doc.BadValue, so is
// the value.
func ChildValue(row doc.Row, columns, skip []string) (any, error) {
	switch len(columns) {
	case 0:
		return onlyValue(row, skip)
	case 1:
		return valueOf(row, columns[0])
	}
	var texts []string
	reason := ""
	for _, name := range columns {
		v, err := valueOf(row, name)
		if err != nil {
			return nil, err
		}
		if bad, ok := v.(doc.BadValue); ok && reason == "" {
			reason = bad.Reason
		}
		if text := doc.FormatText(v); text != "" {
			texts = append(texts, text)
		}
	}
	if texts == nil {
		return nil, nil
	}
	if reason != "" {
		return doc.NewBadValue(strings.Join(texts, " "), reason), nil
	}
	return strings.Join(texts, " "), nil
}

func valueOf(row doc.Row, name string) (any, error) {
	v, ok := row.Get(name)
	if !ok {
		return nil, fmt.Errorf("column %s is not in the row: the SQL must return it", name)
	}
	return v, nil
}

func onlyValue(row doc.Row, skip []string) (v any, err error) {
	found := 0
	for i, name := range row.Names {
		if !slices.Contains(skip, name) {
			v = row.Values[i]
			found++
		}
	}
	if found != 1 {
		return nil, fmt.Errorf("the row has %d columns beside its key and updateTime: the SQL must return one", found)
	}
	return v, nil
}
