package configs

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
	"indexerd/internal/index/title"
)

// minimal has only the required keys.
const minimal = `data: d
sources:
  pagila: {driver: postgres, dsn: "${DSN}"}
tables:
  film:
    source: pagila
    sql: SELECT film_id, last_update, title FROM film;
    key: film_id
    updated: last_update
    content: {fields: [title]}
`

func mustParse(t *testing.T, data string) *Config {
	t.Helper()
	c, err := Parse("x.yaml", []byte(data), environment)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustTitle(t *testing.T, text string) title.Template {
	t.Helper()
	template, err := title.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return template
}

// The default title names no column of the acl.
func TestDefaultTitle(t *testing.T) {
	for content, want := range map[string]string{
		"[body, subject]": "subject",
		"[body]":          "",
		"[name, label], boosts: {label: 2}}\n    metadata: {name: keyword}\n    acl: name\n    pages: {versions: 2": "label",
	} {
		c := mustParse(t, strings.Replace(minimal, "[title]", content, 1))
		if got := c.Tables[0].Title.String(); got != want {
			t.Errorf("%s: got the title %q, want %q", content, got, want)
		}
	}
}

func TestAnalyzersAndLanguages(t *testing.T) {
	for written, want := range map[string]struct {
		analyzer string
		first    bool
		language string
	}{
		"[title]":                       {"standard", false, ""},
		"[title], analyzer: cjk":        {"cjk", false, ""},
		"[title], analyzer: plain-1":    {"standard", true, ""},
		"[title], analyzer: plain-1-en": {"en", true, ""},
		"[title]}\n    language: de\n    pages: {versions: 2":                {"standard", false, "de"},
		"[title]}\n    language: no\n    pages: {versions: 2":                {"standard", false, "no"}, // Norwegian
		"[title]}\n    language: none\n    pages: {versions: 2":              {"standard", false, ""},
		"[title], analyzer: en}\n    language: en\n    pages: {versions: 2":  {"en", false, ""},
		"[title], analyzer: cjk}\n    language: en\n    pages: {versions: 2": {"cjk", false, "en"},
	} {
		got := mustParse(t, strings.Replace(minimal, "[title]", written, 1)).Tables[0]
		if got.Content.Analyzer != want.analyzer || got.Content.First != want.first || got.Language != want.language {
			t.Errorf("%s: got the analyzer %s, first %t, language %q, want %+v", written, got.Content.Analyzer, got.Content.First, got.Language, want)
		}
	}
}

func TestDefaults(t *testing.T) {
	got := mustParse(t, minimal)
	got.lines = nil
	dsn, _ := environment("DSN")
	want := &Config{
		File:      "x.yaml",
		Data:      "d",
		HTTP:      HTTP{Listen: "127.0.0.1:7700"},
		Index:     Index{Engine: Embedded, Shards: 1, Replicas: 1, Source: true},
		PageStore: PageStore{Engine: FileMap},
		Bloom:     Bloom{Engine: Local, Key: "indexerd"},
		Marks:     Marks{Engine: File},
		Log:       Log{Format: "text", Level: "info"},
		Sources:   []Source{{Name: "pagila", Driver: "postgres", DSN: dsn, Limits: Limits{Connections: runtime.GOMAXPROCS(0) + 1, ComparisonShare: 0.1}}},
		Tables: []Table{{
			Name:        "film",
			Source:      "pagila",
			SQL:         "SELECT film_id, last_update, title FROM film",
			Key:         []string{"film_id"},
			Updated:     "last_update",
			Content:     Content{Fields: []string{"title"}, Analyzer: "standard", BM25: query.DefaultBM25},
			Title:       mustTitle(t, "title"),
			Stopwords:   "none",
			Relevance:   "tuned",
			Positions:   true,
			Batch:       10000,
			Workers:     runtime.GOMAXPROCS(0),
			Limits:      doc.Limits{Text: 8 << 20, Words: 1_500_000, Distinct: 250_000},
			Incremental: Incremental{Every: time.Second},
			Compensate: Compensate{Horizon: "auto", Every: 2 * time.Second, Slack: time.Second, Tree: 64 << 20, Tiers: []Tier{
				{Name: "1m", Every: time.Minute, Timeout: time.Minute, Start: time.Minute},
				{Name: "3m", Every: 3 * time.Minute, Timeout: 3 * time.Minute, Start: 3 * time.Minute},
				{Name: "10m", Every: 10 * time.Minute, Timeout: 10 * time.Minute, Start: 10 * time.Minute, End: 10 * time.Minute},
			}},
			DeleteCheck:        DeleteCheck{Every: time.Hour, MaxFraction: 0.2, MaxCount: 100, Share: 0.5},
			TransactionTimeout: 10 * time.Minute,
			Pages:              Pages{Versions: 1, Compression: "s2"},
		}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
}

func TestEveryKeyIsRead(t *testing.T) {
	c, err := Load("testdata/good/everything.yaml", environment)
	if err != nil {
		t.Fatal(err)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.HTTP.Listen, "[::1]:0"; got != want {
		t.Errorf("got listen %s, want %s", got, want)
	}
	if got, want := c.Sources[0].Limits, (Limits{4, 50, 500 * time.Millisecond, Hours{22 * time.Hour, 6*time.Hour + 30*time.Minute}, 0.25}); got != want {
		t.Errorf("got limits %+v, want %+v", got, want)
	}
	positions, k1, b := false, 2.5, 0.0
	want := Table{
		Name:     "film_2",
		Source:   "Pagila-2",
		SQL:      "SELECT tenant, id, u, title, 评级, length FROM film",
		Key:      []string{"tenant", "id"},
		Updated:  "u",
		Unit:     "ms",
		Timezone: "Europe/Berlin",
		Location: berlin,
		JSON:     []string{"extra_data"},
		Paths:    []Path{{"city", "data", []string{"address", "city"}}, {"sku", "extra_data", []string{"lines", "s.k.u"}}},
		Content:  Content{Fields: []string{"title", "评级"}, Analyzer: "cjk", Boosts: []Boost{{"title", 3}, {"actors", 0.5}}, BM25: query.BM25{K1: 2.5}, k1: &k1, b: &b},
		Title:    mustTitle(t, "{title} ({评级}), ${length} min"),
		Metadata: []Meta{{"评级", "keyword"}, {"length", "number"}, {"u", "date"}, {"Open", "boolean"}},
		Children: []Child{
			{
				Name: "actors", SQL: "SELECT tenant, film_id, at, first, last FROM film_actor JOIN actor USING (actor_id)",
				Key: []string{"tenant", "film_id"}, Updated: "at", Unit: "s", Content: []string{"first", "last"}, Type: "keyword",
			},
			{Name: "评论", SQL: "SELECT tenant, film, note FROM review", Key: []string{"tenant", "film"}, JSON: []string{"note"}, Content: []string{"note"}},
		},
		Extra: []Extra{
			{Name: "groups", SQL: "SELECT tenant, id, at, grp FROM film_group", Key: []string{"tenant", "id"}, Updated: "at", Unit: "us", Type: "keyword"},
			{Name: "prices", SQL: "SELECT tenant, id, price FROM offer", Key: []string{"tenant", "id"}, Type: "number"},
		},
		Deleted:     Deleted{Column: "state", Values: []any{"gone", int64(-7)}},
		Changes:     "SELECT tenant, id, u FROM film",
		Language:    "en",
		Stopwords:   "english",
		Relevance:   "plain",
		Batch:       1000,
		Workers:     4,
		Limits:      doc.Limits{Text: 16 << 20, Words: 3_000_000, Distinct: 400_000},
		Incremental: Incremental{Every: 500 * time.Millisecond},
		Compensate: Compensate{Horizon: "exact", Every: 3 * time.Second, Slack: 2 * time.Second, Tree: 128 << 10, Tiers: []Tier{
			{Name: "90s", Every: 90 * time.Second, Timeout: 2 * time.Minute, Start: 10 * time.Second, End: 30 * time.Second},
			{Name: "daily", Every: 24 * time.Hour, Timeout: 36 * time.Hour, Start: 24 * time.Hour, End: 36 * time.Hour},
		}},
		DeleteCheck:        DeleteCheck{Every: 36 * time.Hour, MaxFraction: 1, MaxCount: 7, Share: 0.25},
		TransactionTimeout: 5 * time.Minute,
		Pages:              Pages{Versions: 3, Compression: "zstd"},
		positions:          &positions,
	}
	if got := c.Tables[0]; !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
}

func TestDefaultTiersCoverTheTransactionTimeout(t *testing.T) {
	c := mustParse(t, minimal+"    transaction_timeout: 30m\n")
	tiers := c.Tables[0].Compensate.Tiers
	if got, want := tiers[len(tiers)-1].End, 30*time.Minute; got != want {
		t.Errorf("last tier: got end %v, want %v", got, want)
	}
}

// 0 is a number, "0" is text.
func TestDeletedValuesKeepTheirTypes(t *testing.T) {
	c, err := Load("testdata/good/deleted_column.yaml", environment)
	if err != nil {
		t.Fatal(err)
	}
	want := []any{"gone", int64(0), int64(-7), int64(16), 1.5, 1000.0, true, false, "No", "", "0", "2026-01-01", "500"}
	if got := c.Tables[0].Deleted.Values; !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
}

func TestKeysOfAMappingWinOverMergedOnes(t *testing.T) {
	c, err := Load("testdata/good/anchors.yaml", environment)
	if err != nil {
		t.Fatal(err)
	}
	film, actor, staff := c.Tables[0], c.Tables[1], c.Tables[2]
	if actor.SQL == film.SQL || actor.Key[0] != "actor_id" || actor.Updated != film.Updated {
		t.Errorf("got %+v, want actor's sql and key, and film's updated", actor)
	}
	if staff.Batch != 10 || staff.SQL != film.SQL || len(staff.Key) != 2 {
		t.Errorf("got %+v, want staff's key, a batch of 10 and film's sql", staff)
	}
}

func TestMappingsThatMergeEachOtherEnd(t *testing.T) {
	c := mustParse(t, strings.Replace(minimal, "  film:\n", "  film: &film\n    <<: [*film, *film]\n", 1))
	if got, want := c.Tables[0].Name, "film"; got != want {
		t.Errorf("got table %s, want %s", got, want)
	}
}

func TestAtReturnsTheLineOfAKeyOrItsParent(t *testing.T) {
	c := mustParse(t, minimal+"    compensate:\n      tiers:\n        - {every: 1m, timeout: 1m}\n        - every: 2m\n          timeout: 2m\n")
	for _, test := range []struct {
		path string
		line int
	}{
		{"data", 1},
		{"sources.pagila.dsn", 3},
		{"tables.film.updated", 9},
		{"tables.film.updated.unit", 9}, // missing: the line of updated
		{"tables.film.timezone", 5},     // missing: the line of the table
		{"tables.film.content.fields[0]", 10},
		{"tables.film.compensate.tiers[0].name", 13},
		{"tables.film.compensate.tiers[1].timeout", 15},
		{"tables.film.compensate.tiers[7]", 12},
		{"http.listen", 1},
		{"", 1},
	} {
		if file, line := c.At(test.path); file != "x.yaml" || line != test.line {
			t.Errorf("At(%q): got %s:%d, want x.yaml:%d", test.path, file, line, test.line)
		}
	}
}

func TestLoadOfAnUnreadableFile(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		{"testdata/none.yaml", "testdata/none.yaml:1: file: can't be read: no such file or directory: name a configuration file that indexerd can read"},
		{"testdata", "testdata:1: file: can't be read: is a directory: name a configuration file that indexerd can read"},
	} {
		_, err := Load(test.file, environment)
		var faults Faults
		if !errors.As(err, &faults) || err.Error() != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

// docs/operations.md states defaults and limits that are also in the table of keys.
func TestDefaultsInOperations(t *testing.T) {
	text, err := os.ReadFile("../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	c := mustParse(t, minimal)
	l := c.Tables[0].Limits
	for _, want := range []string{
		fmt.Sprintf("more than %d MiB of text, %d,%03d,%03d words or %d,%03d different words", l.Text>>20, l.Words/1_000_000, l.Words/1000%1000, l.Words%1000, l.Distinct/1000, l.Distinct%1000),
		fmt.Sprintf("`compensate.tree`, by default %d MiB for each table", c.Tables[0].Compensate.Tree>>20),
		fmt.Sprintf("the default is one more than the tables' workers, and %d at most", maxConnections),
	} {
		if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), want) {
			t.Errorf("docs/operations.md does not contain %q", want)
		}
	}
}

func TestMessageHasOneLineForEachFault(t *testing.T) {
	faults := Faults{{"x.yaml", 1, "data", "missing", "name a directory"}, {"x.yaml", 2, "http", "empty", "remove it"}}
	for err, want := range map[error]string{
		fmt.Errorf("load: %w", faults): "load: x.yaml:1: data: missing: name a directory\nx.yaml:2: http: empty: remove it",
		errors.New("disk\nfull"):       "disk: full",
	} {
		if got := Message(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A column that is named row is written in a list.
func TestRowKey(t *testing.T) {
	c, err := Load("testdata/good/key_row.yaml", environment)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Table{{RowKey: true, MaxRows: 5000, Batch: rowKeyBatch}, {Key: []string{"row"}, Batch: 10000}} {
		got := c.Tables[i]
		if got.RowKey != want.RowKey || got.MaxRows != want.MaxRows || got.Batch != want.Batch || strings.Join(got.Key, " ") != strings.Join(want.Key, " ") {
			t.Errorf("%s: got key %q, row key %t of %d rows and batches of %d, want %+v", got.Name, got.Key, got.RowKey, got.MaxRows, got.Batch, want)
		}
	}
}
