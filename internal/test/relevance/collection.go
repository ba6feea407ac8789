package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A collection has documents, queries, and what people judged to be relevant.
type collection struct {
	name    string
	docs    []text
	queries []text
	gains   map[int]map[int]int // of documents, for each query that was judged
}

// A text is a document or a query.
type text struct {
	id          int
	title, body string
}

// readCollection reads NAME.all, NAME.qry and NAME.rel in the format of SMART, in which
// the Cranfield and CISI collections are published: a line .I with the number of a text, then
// lines such as .T and .W before its title and its words. A line of NAME.rel has the
// number of a query, that of a document and a grade.
func readCollection(dir, name string) (*collection, error) {
	c := &collection{name: name, gains: map[int]map[int]int{}}
	var err error
	if c.docs, err = readTexts(filepath.Join(dir, name+".all")); err != nil {
		return nil, err
	}
	if c.queries, err = readTexts(filepath.Join(dir, name+".qry")); err != nil {
		return nil, err
	}
	if err := c.readGrades(filepath.Join(dir, name+".rel")); err != nil {
		return nil, err
	}
	return c, nil
}

func readTexts(path string) (texts []text, err error) {
	part := ""
	err = eachLine(path, func(line string) error {
		if id, ok := strings.CutPrefix(line, ".I "); ok {
			n, err := strconv.Atoi(strings.TrimSpace(id))
			texts = append(texts, text{id: n})
			return err
		}
		if len(texts) == 0 {
			return nil
		}
		if len(line) >= 2 && line[0] == '.' && strings.TrimSpace(line[2:]) == "" {
			part = line[1:2]
			return nil
		}
		switch t := &texts[len(texts)-1]; part {
		case "T":
			t.title += line + "\n"
		case "W":
			t.body += line + "\n"
		}
		return nil
	})
	if err == nil && len(texts) == 0 {
		err = fmt.Errorf("%s has no line .I with the number of a text", path)
	}
	for i, t := range texts { // those of Cranfield repeat their titles
		texts[i].body = strings.TrimPrefix(t.body, t.title)
	}
	return texts, err
}

// readGrades reads what is relevant. Grades from 1 to 4 are Cranfield's, the best first,
// and 0 is any relevant document.
func (c *collection) readGrades(path string) error {
	type judgment struct{ query, doc, gain int }
	var all []judgment
	known := map[int]bool{}
	for _, q := range c.queries {
		known[q.id] = true
	}
	ordinal := false // Cranfield numbers its queries from 1 there
	err := eachLine(path, func(line string) error {
		var j judgment
		grade := 0
		if _, err := fmt.Sscan(line, &j.query, &j.doc, &grade); err != nil {
			return err
		}
		switch {
		case grade == 0:
			j.gain = 1
		case grade >= 1 && grade <= 4:
			j.gain = 5 - grade
		default:
			return nil
		}
		all, ordinal = append(all, j), ordinal || !known[j.query]
		return nil
	})
	for _, j := range all {
		if ordinal && (j.query < 1 || j.query > len(c.queries)) {
			return fmt.Errorf("%s judges query %d of %d", path, j.query, len(c.queries))
		}
		if ordinal {
			j.query = c.queries[j.query-1].id
		}
		if c.gains[j.query] == nil {
			c.gains[j.query] = map[int]int{}
		}
		c.gains[j.query][j.doc] = j.gain
	}
	return err
}

func eachLine(path string, f func(string) error) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		if err := f(lines.Text()); err != nil {
			return fmt.Errorf("%s, line %d: %w", path, n, err)
		}
	}
	return lines.Err()
}
