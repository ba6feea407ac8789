package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/sampletext"
)

// A bodyText is one row of textTable, and one line of en.jsonl.gz.
type bodyText struct {
	OID  int64  `json:"oid"`
	Text string `json:"text"`
	Kind string `json:"kind"`
	N    int64  `json:"n"`
	T    int64  `json:"t"`
}

// generatedTexts returns n texts with their metadata, always the same.
func generatedTexts(n int) []bodyText {
	all := make([]bodyText, n)
	for i, text := range sampletext.English(n) {
		all[i] = bodyText{OID: int64(i + 1), Text: text, Kind: []string{"commit", "package"}[i%2], N: int64(i), T: 1_500_000_000 + 1000*int64(i)}
	}
	return all
}

// outsideTexts reads 100,000 texts that are not part of the project.
func outsideTexts(t testing.TB, file string) []bodyText {
	t.Helper()
	return readTexts(t, pgtest.Data(t, file))
}

func readTexts(t testing.TB, name string) []bodyText {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []bodyText
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one bodyText
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// textTable makes a table of these texts, all of them changed at distinct
// times, and returns its DSN.
func textTable(t testing.TB, all []bodyText) string {
	t.Helper()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, `CREATE TABLE text (
		oid bigint PRIMARY KEY, body text NOT NULL, kind text NOT NULL, n int NOT NULL,
		written timestamptz NOT NULL, updated timestamptz NOT NULL)`)
	conn := pgtest.Connect(t, dsn)
	start := time.Now().Add(-24 * time.Hour)
	_, err := conn.CopyFrom(context.Background(), pgx.Identifier{"text"}, []string{"oid", "body", "kind", "n", "written", "updated"},
		pgx.CopyFromSlice(len(all), func(i int) ([]any, error) {
			one := all[i]
			return []any{one.OID, one.Text, one.Kind, one.N, time.Unix(one.T, 0), start.Add(time.Duration(i) * time.Microsecond)}, nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	pgtest.Exec(t, dsn, "CREATE INDEX ON text (updated); ANALYZE text")
	pgtest.Exec(t, dsn, "CHECKPOINT") // or the kernel would still write the table while it is loaded
	return dsn
}

// textConfig is a configuration of that table.
func textConfig(dsn, data string) string {
	return configOf("postgres", dsn, data, `  text:
    source: db
    sql: SELECT oid, updated, body, kind, n, written FROM text
    key: oid
    updated: updated
    content: {fields: [body]}
    metadata: {kind: keyword, n: number, written: date}
`)
}
