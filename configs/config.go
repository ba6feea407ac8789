// Package configs reads and checks indexerd's configuration, one YAML file.
//
// Load returns either a complete Config or every fault of the file at once,
// sorted by line. A fault is one line of text:
//
//	file:line: path: what is wrong: what to write
//
// A Config returned by Load has all defaults filled in, every name in it refers
// to something that exists, and every value is in its range. No fault shows any
// part of a DSN, a token, an environment variable's value, or the name of a file
// that holds a secret.
//
// The accepted keys are defined once, in a table (keys.go, tablekeys.go,
// passkeys.go, http.go, limits.go). The reader follows this table, and go
// generate writes schema.json (for editors) and docs/configuration.md from it.
//
// Load works in three phases. It reads the YAML tree by the table of keys
// (read.go, mapping.go, value.go), checks rules that involve several values
// (check.go, checkhttp.go), and sets defaults (defaults.go). The cost is one
// parse of a small file. Load opens no other files than those of secrets, of
// the certificate and of stop words.
package configs

import (
	"strings"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/nearest"
	"indexerd/internal/index/query"
	"indexerd/internal/index/title"
)

// A Config is the content of one file. File paths are as written: a relative
// path is relative to the working directory.
type Config struct {
	File       string
	Data       string // the data directory
	HTTP       HTTP
	OpenSearch string // address of the OpenSearch API; "" for none
	Index      Index
	PageStore  PageStore
	Bloom      Bloom
	Marks      Marks
	TakeOver   bool // open indexes and pages of another data directory too; from the command line
	Log        Log
	Sources    []Source // in file order
	Tables     []Table  // in file order

	lines map[string]int // path -> line of its key
}

// Log configures the daemon's log.
type Log struct {
	Format string // text or json
	Level  string // info, warn or error
}

// A Source is one database.
type Source struct {
	Name   string
	Driver string   // postgres, mysql, oracle, sqlserver or sqlite
	DSN    string   `json:"-"` // from dsn, or the content of dsn_file, as the driver reads it
	Notes  []string `json:"-"` // on what dsn has of other programs
	Limits Limits

	dsnFile string
}

// String returns the source's name, so that a log line never shows the DSN.
func (s Source) String() string { return s.Name }

// GoString does the same as String, for %#v.
func (s Source) GoString() string { return s.Name }

// A Table is one SELECT whose rows become documents.
type Table struct {
	Name               string
	Source             string // the name of a Source
	SQL                string // without a trailing semicolon
	Key                []string
	RowKey             bool           // the key is a digest of the whole row; Key is empty
	MaxRows            int            // of a table with RowKey
	Updated            string         // may be empty: ByComparison
	Unit               string         // unit of a numeric Updated: s, ms, us or ns; empty: detect it from the rows
	Timezone           string         // time zone of an Updated column that has none; may be empty
	Location           *time.Location // of Timezone; nil if that is empty
	JSON               []string       // columns of SQL with JSON in a text type
	Paths              []Path         // in file order
	Content            Content
	Title              title.Template // of hits; zero: they have none
	Metadata           []Meta         // in file order
	Children           []Child        // in file order
	Extra              []Extra        // in file order
	Deleted            Deleted
	Changes            string   // SELECT of key and updated without the conditions of SQL; may be empty
	Language           string   // of the stems of words: one of analysis.Languages, "" for none
	Stopwords          string   // none, english, or the file of DroppedWords
	DroppedWords       []string // of that file: lower case, sorted, each once
	ACL                string   // field with the groups that may find a document; empty: every caller may
	Synonyms           string   // the file of SynonymRules; "" for none
	SynonymRules       []query.Synonyms
	Relevance          string // tuned or plain
	Fresh              bool   // whether searches check their hits in the database
	Positions          bool   // whether phrases can be searched
	Batch              int
	Workers            int
	Limits             doc.Limits
	Incremental        Incremental
	Compensate         Compensate
	DeleteCheck        DeleteCheck
	TransactionTimeout time.Duration // longest time that a transaction stays open
	Pages              Pages

	positions, fresh *bool // as written; nil if missing
}

// ByComparison reports whether the table has no updateTime, so that changes are
// found by comparing all of it.
func (t *Table) ByComparison() bool { return t.Updated == "" }

// AssumedTimeout returns how long a transaction is assumed to stay open: the
// configured transaction_timeout, or the longest timeout of a tier.
func (t *Table) AssumedTimeout() time.Duration {
	timeout := t.TransactionTimeout
	for _, tier := range t.Compensate.Tiers {
		timeout = max(timeout, tier.Timeout)
	}
	return timeout
}

// Content is the searched text of a document: these columns, joined.
type Content struct {
	Fields   []string
	Analyzer string // standard, en, cjk or ngram
	First    bool   // the first version of the analyzer: plain-1 in the file
	Boosts   []Boost
	BM25     query.BM25

	k1, b *float64 // as written; nil if missing
}

// A Boost is the weight of matches in one content column or child. Without a
// boost the weight is 1.
type Boost struct {
	Field  string
	Factor float64
}

// Meta is a column that is filtered, sorted and counted by its exact value.
type Meta struct {
	Name string
	Type string // keyword, number, date or boolean
}

// A Path is a column that is what is at a path in a JSON column.
type Path struct {
	Name   string
	Column string
	Path   []string // the names of members
}

// A Child is a SELECT of further rows of a document. Key holds the key of the
// document: as many columns as the table's key, in the same order.
type Child struct {
	Name    string
	SQL     string
	Key     []string
	Updated string   // may be empty: then only the sweep finds changes
	Unit    string   // as in Table
	JSON    []string // columns of SQL with JSON in a text type
	Content []string // columns whose text is searched with the document's
	Type    string   // type of the metadata field Name; empty: there is no such field
}

// An Extra is a SELECT of values of a metadata field. They are not part of the
// content. The SELECT has one column beside Key and Updated.
type Extra struct {
	Name    string
	SQL     string
	Key     []string
	Updated string // may be empty: then only the sweep finds changes
	Unit    string // as in Table
	Type    string
}

// Deleted defines which rows are marked deleted: rows with one of Values in
// Column, or rows whose keys SQL lists. The zero Deleted matches no row.
type Deleted struct {
	Column string
	Values []any // string, int64, float64 or bool; not empty if Column is set
	SQL    string
}

// Incremental configures the pass that finds changes.
type Incremental struct {
	Every time.Duration
}

// Compensate configures the passes that find rows committed late.
type Compensate struct {
	Horizon string        // auto, exact or timeout
	Every   time.Duration // interval of the pass that uses the database's horizon
	Slack   time.Duration // subtracted from the database's horizon
	Tiers   []Tier
	Tree    int64 // bytes of memory for stamps
}

// A Tier is one schedule of compensation. Its window ends at End before the
// last incremental mark: 0 for latest, Timeout for settled.
type Tier struct {
	Name    string
	Every   time.Duration
	Timeout time.Duration
	Start   time.Duration // after the load
	End     time.Duration
}

// DeleteCheck configures the sweep. Removals that exceed both MaxFraction and
// MaxCount are held.
type DeleteCheck struct {
	Every       time.Duration
	MaxFraction float64 // of all documents
	MaxCount    int
	Share       float64 // fraction of time that a scheduled sweep works; it pauses for the rest
}

// Pages configures the store of rows as read.
type Pages struct {
	Versions    int
	Compression string // s2, zstd or none
}

// Called returns the name of the table that a person calls so, such as invoice_line for
// InvoiceLine, or the name itself if no table or several are called so.
func (c *Config) Called(name string) string {
	found := ""
	for _, t := range c.Tables {
		switch {
		case t.Name == name:
			return name
		case !nearest.Same(t.Name, name):
		case found != "":
			return name
		default:
			found = t.Name
		}
	}
	if found == "" {
		return name
	}
	return found
}

// At returns the file and the line of a key, such as "tables.film.updated". If
// the file does not have the key, the line is that of the nearest enclosing key.
func (c *Config) At(path string) (file string, line int) {
	for path != "" {
		if line, ok := c.lines[path]; ok {
			return c.File, line
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return c.File, 1
}

// Fault returns a fault at the line of a path.
func (c *Config) Fault(path, what, do string) Fault {
	file, line := c.At(path)
	return Fault{File: file, Line: line, Path: path, What: what, Do: do}
}

// given reports whether the file has the key, with a valid value or not.
func (c *Config) given(path string) bool {
	_, ok := c.lines[path]
	return ok
}
