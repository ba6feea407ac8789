package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"indexerd/internal/test/mariatest"
)

const (
	mariaLoadTarget  = 1.3 // CPU of a load from MariaDB or MySQL over that from PostgreSQL
	mariaSweepTarget = 15 * time.Second
)

// BenchmarkMariaDB loads the same 100,000 rows from PostgreSQL and from MariaDB, by
// turns, and then sweeps a table of a million rows on MariaDB of which nothing has
// changed. The CPU is the daemon's, until its merges have ended.
func BenchmarkMariaDB(b *testing.B) { benchMaria(b, "MariaDB", mariatest.New(b)) }

// BenchmarkMySQL is BenchmarkMariaDB for MySQL.
func BenchmarkMySQL(b *testing.B) { benchMaria(b, "MySQL", mariatest.NewMySQL(b)) }

func benchMaria(b *testing.B, name string, server *mariatest.Server) {
	for range b.N {
		ratio := loadsOfBoth(b, name, server)
		sweep := mariaSweep(b, server)
		misses := ratio > mariaLoadTarget || sweep > mariaSweepTarget
		fmt.Printf("%s: cpu_over_postgres=%.2f target=%.2f sweep_rows=%d sweep_s=%.1f target=%v %s\n",
			strings.ToLower(name), ratio, mariaLoadTarget, benchRows(b), sweep.Seconds(), mariaSweepTarget, outcome(misses))
		if misses {
			b.Fail()
		}
	}
}

// loadsOfBoth returns the CPU of a load from a server over that from PostgreSQL.
func loadsOfBoth(b *testing.B, name string, server *mariatest.Server) float64 {
	b.Helper()
	all := outsideTexts(b, "en.jsonl.gz")
	postgres := textConfig(textTable(b, all), "DATA")
	maria := strings.Replace(textConfig(mariaTexts(b, server, all), "DATA"), "driver: postgres", "driver: mysql", 1)
	var ofPostgres, ofMaria []cost
	for range loadRounds {
		ofPostgres = append(ofPostgres, loadOnce(b, postgres))
		ofMaria = append(ofMaria, loadOnce(b, maria))
	}
	p, m := median(ofPostgres), median(ofMaria)
	printCost("PostgreSQL", len(all), p)
	printCost(name, len(all), m)
	return float64(m.CPU) / float64(p.CPU)
}

// mariaTexts makes a table of texts as textTable does, and returns its DSN.
func mariaTexts(b *testing.B, server *mariatest.Server, all []bodyText) string {
	b.Helper()
	dsn := server.DB(b)
	mariatest.Exec(b, dsn, `CREATE TABLE text (
		oid bigint PRIMARY KEY, body mediumtext NOT NULL, kind text NOT NULL, n int NOT NULL,
		written timestamp(6) NOT NULL, updated timestamp(6) NOT NULL, INDEX (updated)) CHARACTER SET utf8mb4`)
	db := mariatest.Open(b, dsn)
	start := time.Now().Add(-24 * time.Hour)
	const together = 500
	for at := 0; at < len(all); at += together {
		some := all[at:min(at+together, len(all))]
		var values []any
		for i, one := range some {
			values = append(values, one.OID, one.Text, one.Kind, one.N, time.Unix(one.T, 0), start.Add(time.Duration(at+i)*time.Microsecond))
		}
		sql := "INSERT INTO text VALUES " + strings.Repeat("(?, ?, ?, ?, ?, ?), ", len(some)-1) + "(?, ?, ?, ?, ?, ?)"
		if _, err := db.ExecContext(b.Context(), sql, values...); err != nil {
			b.Fatal(err)
		}
	}
	mariatest.Exec(b, dsn, "ANALYZE TABLE text")
	return dsn
}

// mariaSweep returns the time of a sweep of rows of about 500 bytes.
func mariaSweep(b *testing.B, server *mariatest.Server) time.Duration {
	b.Helper()
	dsn := server.DB(b)
	mariatest.Exec(b, dsn, `CREATE TABLE note (id bigint PRIMARY KEY, updated timestamp(6) NOT NULL, body text NOT NULL, INDEX (updated))`)
	mariatest.Exec(b, dsn, fmt.Sprintf(`INSERT INTO note WITH RECURSIVE n(seq) AS (SELECT 1 UNION ALL SELECT seq + 1 FROM n WHERE seq < %d)
		SELECT seq, now() - INTERVAL 1 DAY, repeat(concat(md5(seq), ' ', md5(seq DIV 7), ' '), 7) FROM n`, benchRows(b)))
	mariatest.Exec(b, dsn, "ANALYZE TABLE note")
	file := writeFile(b, lateConfig(dsn, filepath.Join(b.TempDir(), "data"), "{horizon: auto}"))
	p := start(b, "run", "-c", file)
	p.readyWithin(b, time.Hour)
	began := time.Now()
	if got := sweeps(b, 0, file, "note"); got.Compared < benchRows(b) {
		b.Fatalf("sweep: got %+v, want %d compared", got, benchRows(b))
	}
	return time.Since(began)
}
