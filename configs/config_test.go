package configs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/doc"
)

// minimal is the least that a file can say.
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

// parseFault returns the only fault of a file, without "x.yaml:".
func parseFault(t *testing.T, data string) string {
	t.Helper()
	_, err := Parse("x.yaml", []byte(data), environment)
	var faults Faults
	if !errors.As(err, &faults) || len(faults) != 1 {
		t.Fatalf("got %v, want one fault", err)
	}
	checkFaults(t, err)
	return strings.TrimPrefix(err.Error(), "x.yaml:")
}

func TestDefaults(t *testing.T) {
	got := mustParse(t, minimal)
	got.lines = nil
	dsn, _ := environment("DSN")
	want := &Config{
		File:    "x.yaml",
		Data:    "d",
		HTTP:    HTTP{Listen: "127.0.0.1:7700"},
		Log:     Log{Format: "text", Level: "info"},
		Sources: []Source{{Name: "pagila", Driver: "postgres", DSN: dsn, Limits: Limits{Connections: runtime.GOMAXPROCS(0) + 1}}},
		Tables: []Table{{
			Name:        "film",
			Source:      "pagila",
			SQL:         "SELECT film_id, last_update, title FROM film",
			Key:         []string{"film_id"},
			Updated:     "last_update",
			Content:     Content{Fields: []string{"title"}, Analyzer: "standard"},
			Positions:   true,
			Batch:       2000,
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
	positions := false
	want := Table{
		Name:     "film_2",
		Source:   "Pagila-2",
		SQL:      "SELECT tenant, id, u, title, 评级, length FROM film",
		Key:      []string{"tenant", "id"},
		Updated:  "u",
		Timezone: "Europe/Berlin",
		Location: berlin,
		Content:  Content{Fields: []string{"title", "评级"}, Analyzer: "cjk", Boosts: []Boost{{"title", 3}, {"actors", 0.5}}},
		Metadata: []Meta{{"评级", "keyword"}, {"length", "number"}, {"u", "date"}, {"Open", "boolean"}},
		Children: []Child{
			{
				Name: "actors", SQL: "SELECT tenant, film_id, at, first, last FROM film_actor JOIN actor USING (actor_id)",
				Key: []string{"tenant", "film_id"}, Updated: "at", Content: []string{"first", "last"}, Type: "keyword",
			},
			{Name: "评论", SQL: "SELECT tenant, film, note FROM review", Key: []string{"tenant", "film"}, Content: []string{"note"}},
		},
		Extra: []Extra{
			{Name: "groups", SQL: "SELECT tenant, id, at, grp FROM film_group", Key: []string{"tenant", "id"}, Updated: "at", Type: "keyword"},
			{Name: "prices", SQL: "SELECT tenant, id, price FROM offer", Key: []string{"tenant", "id"}, Type: "number"},
		},
		Deleted:     Deleted{Column: "state", Values: []any{"gone", int64(-7)}},
		Changes:     "SELECT tenant, id, u FROM film",
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

func TestDefaultTiersReachAsFarAsTransactions(t *testing.T) {
	c := mustParse(t, minimal+"    transaction_timeout: 30m\n")
	tiers := c.Tables[0].Compensate.Tiers
	if got, want := tiers[len(tiers)-1].End, 30*time.Minute; got != want {
		t.Errorf("the last tier ends %v before the mark, want %v", got, want)
	}
}

// A value means what the column has: 0 is a number, "0" is text.
func TestDeletedValuesKeepTheirTypes(t *testing.T) {
	c := mustParse(t, minimal+`    deleted: {column: c, values: [gone, 0, -7, 0x10, 1.5, 1e3, true, False, No, "", "0", "2026-01-01", "${ROWS}"]}`)
	want := []any{"gone", int64(0), int64(-7), int64(16), 1.5, 1000.0, true, false, "No", "", "0", "2026-01-01", "500"}
	if got := c.Tables[0].Deleted.Values; !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
}

func TestMergedKeys(t *testing.T) {
	c, err := Load("testdata/good/anchors.yaml", environment)
	if err != nil {
		t.Fatal(err)
	}
	film, actor, staff := c.Tables[0], c.Tables[1], c.Tables[2]
	if actor.SQL == film.SQL || actor.Key[0] != "actor_id" || actor.Updated != film.Updated {
		t.Errorf("got %+v, want its own sql and key, and the film's updated", actor)
	}
	if staff.Batch != 10 || staff.SQL != film.SQL || len(staff.Key) != 2 {
		t.Errorf("got %+v, want its own key, a batch of 10 and the film's sql", staff)
	}
}

// A mapping that merges itself has no more keys than it has.
func TestMergeEnds(t *testing.T) {
	c := mustParse(t, strings.Replace(minimal, "  film:\n", "  film: &film\n    <<: [*film, *film]\n", 1))
	if got, want := c.Tables[0].Name, "film"; got != want {
		t.Errorf("got table %s, want %s", got, want)
	}
}

func TestAt(t *testing.T) {
	c := mustParse(t, minimal+"    compensate:\n      tiers:\n        - {every: 1m, timeout: 1m}\n        - every: 2m\n          timeout: 2m\n")
	for _, test := range []struct {
		path string
		line int
	}{
		{"data", 1},
		{"sources.pagila.dsn", 3},
		{"tables.film.updated", 9},
		{"tables.film.timezone", 5}, // left out: the table's line
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

func TestNoFormatShowsTheDSN(t *testing.T) {
	c := mustParse(t, minimal)
	asJSON, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []string{fmt.Sprintf("%v", c), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", c.Sources), fmt.Sprint(c.Sources[0]), string(asJSON)} {
		if strings.Contains(got, canary) {
			t.Errorf("got %s, which shows the DSN", got)
		}
		if !strings.Contains(got, "pagila") {
			t.Errorf("got %s, want the source's name in it", got)
		}
	}
}

func TestLoadWithoutFile(t *testing.T) {
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

func TestDSNFile(t *testing.T) {
	dir := t.TempDir()
	credentials := filepath.Join(dir, "credentials")
	if err := os.Mkdir(credentials, 0o700); err != nil {
		t.Fatal(err)
	}
	const address = "host=db password=" + canary + "${DSN}"
	for _, test := range []struct {
		name, content string
		mode          os.FileMode
		want          string // of the fault
	}{
		{"own", address + "\n", 0o600, ""},
		{"readonly", address, 0o400, ""},
		{"credentials/pagila", address, 0o440, ""},
		{"group", address, 0o640, "others than its owner can read it"},
		{"others", address, 0o604, "others than its owner can read it"},
		{"empty", " \n", 0o600, "the file is empty"},
		{"lines", address + "\n" + address, 0o600, "the file has more than one line"},
		{"words", canary, 0o600, "not the address of a PostgreSQL database"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(dir, test.name)
			if err := os.WriteFile(file, []byte(test.content), test.mode); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(file, test.mode); err != nil { // whatever the umask
				t.Fatal(err)
			}
			getenv := func(name string) (string, bool) { return credentials, name == "CREDENTIALS_DIRECTORY" }
			c, err := Parse("x.yaml", []byte(strings.Replace(minimal, `dsn: "${DSN}"`, "dsn_file: "+file, 1)), getenv)
			if test.want == "" {
				if err != nil || c.Sources[0].DSN != address {
					t.Errorf("got %v, want the content of the file as it is", err)
				}
				return
			}
			var faults Faults
			if !errors.As(err, &faults) || len(faults) != 1 || faults[0].What != test.want || faults[0].Path != "sources.pagila.dsn_file" {
				t.Fatalf("got %v, want one fault of the dsn_file: %s", err, test.want)
			}
			checkFaults(t, err)
			if strings.Contains(err.Error(), dir) {
				t.Errorf("got %v, which shows where the file is", err)
			}
		})
	}
}

func TestLineOfWhatIsNotText(t *testing.T) {
	for _, test := range []struct{ data, want string }{
		{"data: d\n# \xff\n", "2: file: not UTF-8: save the file as plain text in UTF-8"},
		{"data: d\r\n\r\n# \x00\n", "3: file: a control character: save the file as plain text in UTF-8"},
	} {
		if got := parseFault(t, test.data); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

// BenchmarkLoad is what a start of any command pays for its configuration.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := Load("testdata/good/everything.yaml", environment); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAskersNeedNoDSN(t *testing.T) {
	const text = "data: /d\nsources:\n  db: {driver: postgres, dsn: \"${NOT_SET}\"}\n  other: {driver: postgres, dsn_file: /no/such/file}\n" +
		"tables:\n  film: {source: db, sql: SELECT 1, key: id, updated: u, content: {fields: [title]}}\n"
	file := filepath.Join(t.TempDir(), "c.yaml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	none := func(string) (string, bool) { return "", false }

	write(text)
	if _, err := Load(file, none); err == nil {
		t.Fatal("Load: got no fault of the DSNs")
	}
	c, err := LoadWithoutSecrets(file, none)
	if err != nil {
		t.Fatalf("LoadWithoutSecrets: got %v, want no fault", err)
	}
	if len(c.Tables) != 1 || c.Tables[0].Batch != 2000 {
		t.Errorf("LoadWithoutSecrets: got %+v, want the table with its defaults", c.Tables)
	}

	write(strings.Replace(text, "source: db", "source: nope", 1))
	if _, err := LoadWithoutSecrets(file, none); err == nil || !strings.Contains(err.Error(), "tables.film.source") || strings.Contains(err.Error(), "dsn") {
		t.Errorf("another fault: got %v, want the source's alone", err)
	}

	write(strings.Replace(text, "${NOT_SET}", "postgres://u:canary@h/d", 1))
	if c, err = LoadWithoutSecrets(file, none); err != nil || c.Sources[0].DSN != "" {
		t.Errorf("a DSN that is there: got %q, %v, want it left out", c.Sources[0].DSN, err)
	}
}

// A column of numbers may be declared with its unit, wherever one is named.
func TestUnits(t *testing.T) {
	c, err := Load("testdata/good/unit.yaml", environment)
	if err != nil {
		t.Fatal(err)
	}
	film := c.Tables[0]
	got := []string{film.Updated, film.Unit, film.Children[0].Updated, film.Children[0].Unit, film.Extra[0].Updated, film.Extra[0].Unit}
	if want := []string{"last_update", "ms", "at", "s", "at", "us"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if file, line := c.At("tables.film.updated.unit"); file == "" || line != 11 {
		t.Errorf("the unit is at %s:%d, want line 11", file, line)
	}
}
