// Package configs reads the one YAML file that tells indexerd what to index.
//
// It is for users first: Load reports every fault of a file at once, sorted by
// line, each as one line
//
//	file:line: path: what: what to do
//
// Invariants: a Config that Load returned is complete (defaults are filled in,
// names refer to something, every value lies in its range), and no fault shows
// any part of a DSN or a token, of a file that one is in, or of an environment
// value.
//
// What a file may say is one table of keys (keys.go, tablekeys.go, passkeys.go),
// which the reader follows and from which schema.json, for editors, and
// docs/configuration.md, for people, are generated. Reading has three phases:
// the YAML tree is read by that table (read.go, value.go, mapping.go), what
// needs more than one value is checked (check.go), and what was left out gets
// its default (defaults.go). The cost is one parse of a small file; the only
// other things touched are the files that hold secrets and the certificate.
package configs

import (
	"strings"
	"time"

	"indexerd/internal/doc"
)

// A Config is one file, read once. Paths in it are as written: a relative one
// is relative to the working directory.
type Config struct {
	File    string
	Data    string // the directory that indexerd keeps its files in
	HTTP    HTTP
	Log     Log
	Sources []Source // in file order, as are Tables
	Tables  []Table

	lines map[string]int // path -> line of its key
}

// Log is what the daemon writes of what it does.
type Log struct {
	Format string // text or json
	Level  string // info, warn or error
}

// A Source is one database.
type Source struct {
	Name   string
	Driver string // postgres or sqlite
	DSN    string `json:"-"` // its own, or the content of its dsn_file
	Limits Limits

	dsnFile string
}

// String returns the source's name, so that no log shows the DSN.
func (s Source) String() string { return s.Name }

// GoString is String, for %#v.
func (s Source) GoString() string { return s.Name }

// A Table is one SQL whose rows become documents.
type Table struct {
	Name               string
	Source             string // a Source's name
	SQL                string // without a trailing semicolon
	Key                []string
	Updated            string
	Unit               string         // in which Updated counts: s, ms, us or ns; empty where the rows tell it
	Timezone           string         // of an Updated column without one; may be empty
	Location           *time.Location // Timezone's; nil when that is empty
	Content            Content
	Metadata           []Meta  // in file order, as are Children and Extra
	Children           []Child // further rows of a document
	Extra              []Extra // further values of a document
	Deleted            Deleted
	Changes            string // the SQL of (key, updated) without SQL's filter; may be empty
	ACL                string // the field that holds a document's groups; empty where everyone may find it
	Positions          bool   // phrases can be searched
	Batch              int
	Workers            int
	Limits             doc.Limits
	Incremental        Incremental
	Compensate         Compensate
	DeleteCheck        DeleteCheck
	TransactionTimeout time.Duration // how long a transaction can stay open
	Pages              Pages

	positions *bool // as written; nil means the default
}

// Content is the text that is searched: these columns, joined.
type Content struct {
	Fields   []string
	Analyzer string // standard, en, cjk or ngram
	Boosts   []Boost
}

// A Boost is how much a match in one field of the content, or in a child,
// counts beside the others.
type Boost struct {
	Field  string
	Factor float64
}

// Meta is a column that is searched or filtered exactly.
type Meta struct {
	Name string
	Type string // keyword, number, date or boolean
}

// A Child is an SQL of rows that belong to a document. It finds its parent by
// as many key columns as the table has, in the same order.
type Child struct {
	Name    string
	SQL     string
	Key     []string
	Updated string   // may be empty: then only the sweep sees its changes
	Unit    string   // as a Table's
	Content []string // columns whose text is searched with the parent's
	Type    string   // of the metadata field Name that holds them; empty where there is none
}

// An Extra is a Child that never enters content: its one column beside Key and
// Updated holds the values of a metadata field.
type Extra struct {
	Name    string
	SQL     string
	Key     []string
	Updated string // may be empty, as a Child's
	Unit    string // as a Table's
	Type    string
}

// Deleted says which rows are marked deleted and must not be found: those with
// one of Values in Column, or those whose keys SQL lists. The zero Deleted is
// none.
type Deleted struct {
	Column string
	Values []any // string, int64, float64 or bool; never empty with a Column
	SQL    string
}

// Incremental is how often changes are looked for.
type Incremental struct {
	Every time.Duration
}

// Compensate is how rows that became visible late are found.
type Compensate struct {
	Horizon string        // auto, exact or timeout
	Every   time.Duration // of the exact pass
	Slack   time.Duration // subtracted from the database's horizon
	Tiers   []Tier
	Tree    int64 // bytes of memory for the stamps that are compared
}

// A Tier is one compensation schedule. Its window ends at End before the last
// incremental mark: 0 is the mark itself (latest), Timeout is what no
// transaction can change any more (settled).
type Tier struct {
	Name    string
	Every   time.Duration
	Timeout time.Duration
	Start   time.Duration // after the load
	End     time.Duration
}

// DeleteCheck is the sweep for rows that are gone. More removals than both
// limits allow are held.
type DeleteCheck struct {
	Every       time.Duration
	MaxFraction float64
	MaxCount    int
	Share       float64 // of the time that a scheduled sweep works; it rests for the remainder
}

// Pages is how the documents as read are kept.
type Pages struct {
	Versions    int
	Compression string // s2, zstd or none
}

// At returns where the file says what path names, as "tables.film.updated";
// for what the file leaves out, the nearest enclosing key's line.
func (c *Config) At(path string) (file string, line int) {
	for path != "" {
		if line, ok := c.lines[path]; ok {
			return c.File, line
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return c.File, 1
}

// given reports whether the file has the key, be its value right or wrong.
func (c *Config) given(path string) bool {
	_, ok := c.lines[path]
	return ok
}
