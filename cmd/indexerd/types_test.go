package main

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"indexerd/internal/test/mariatest"
	"indexerd/internal/test/pgtest"
)

// What init writes of JSON and of types without an own form is found, and what is at a
// path in JSON is a field.
func TestTypesAreFound(t *testing.T) {
	t.Parallel()
	const object = `{"address": {"city": "Berlin", "zip": 10115}, "tags": ["red", "blue"], "lines": [{"sku": "ab1"}, {"sku": "cd2"}], "ok": true}`
	for name, c := range map[string]struct {
		dsn     func(*testing.T) string
		found   []string
		missing []string
	}{
		"PostgreSQL": {
			func(t *testing.T) string {
				dsn := pgtest.DB(t)
				pgtest.Exec(t, dsn, `CREATE EXTENSION hstore; CREATE TYPE mood AS ENUM ('sad', 'happy'); CREATE TYPE place AS (street text, zip int);
					CREATE TABLE item (id int PRIMARY KEY, data jsonb, pairs hstore, doc xml, ip inet, during tstzrange, price money, took interval, at time, moods mood[], amounts numeric[], home place, spot point, flag bit, fat tsvector);
					INSERT INTO item VALUES (1, '`+object+`', '"colour"=>"amber"', '<p lang="en">marked words</p>', '10.0.0.7', '[2024-05-01 00:00+00,2024-06-01 00:00+00)', '1234.50', '1 hour', '14:30', '{happy,sad}', '{1.5,2.25}', '("Main street",5)', '(1.5,2.5)', '1', 'lexeme'),
						(2, '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`)
				return dsn
			},
			[]string{"amber", "marked words", "ip:10.0.0.7", "during_from:2024-05-01 during_to:>2024-05-31", "price:>1000", "took:3600", `at:"14:30:00"`, "moods:happy", "amounts:2.25", "main street", "spot_x:1.5", "flag:true"},
			[]string{"colour", "lang", "lexeme"},
		},
		"MariaDB": {
			func(t *testing.T) string {
				dsn := mariatest.New(t).DB(t)
				mariatest.Exec(t, dsn, "CREATE TABLE item (id INT PRIMARY KEY, data JSON, tags SET('a', 'b', 'c'), flag BIT, bits BIT(8), at TIME, year YEAR, spot POINT)")
				mariatest.Exec(t, dsn, "INSERT INTO item VALUES (1, ?, 'a,c', 1, 5, '14:30', 2024, POINT(1.5, 2.5)), (2, '[]', '', 0, 0, NULL, NULL, NULL)", object)
				return dsn
			},
			[]string{"tags:c", "flag:true", "bits:5", `at:"14:30:00"`, "year:2024", "spot_y:2.5"}, nil,
		},
		"MySQL": {
			func(t *testing.T) string {
				dsn := mariatest.NewMySQL(t).DB(t)
				mariatest.Exec(t, dsn, "CREATE TABLE item (id INT PRIMARY KEY, data JSON, tags SET('a', 'b', 'c'), flag BIT, bits BIT(8), at TIME, year YEAR, spot POINT, v VECTOR(2))")
				mariatest.Exec(t, dsn, "INSERT INTO item VALUES (1, ?, 'a,c', 1, 5, '14:30', 2024, POINT(1.5, 2.5), NULL), (2, '[]', '', 0, 0, NULL, NULL, NULL, NULL)", object)
				return dsn
			},
			[]string{"tags:c", "flag:true", "bits:5", `at:"14:30:00"`, "year:2024", "spot_y:2.5"}, nil,
		},
		"SQLite": {
			func(t *testing.T) string {
				path := filepath.Join(t.TempDir(), "item.db")
				execSQLite(t, path, "CREATE TABLE item (id INTEGER PRIMARY KEY, data TEXT, own JSON, b JSONB)", "INSERT INTO item VALUES (1, '"+object+"', '[{\"x\": \"native\"}]', jsonb('{\"x\": \"binary\"}')), (2, '[]', NULL, NULL)")
				return path
			},
			[]string{"native", "binary"}, []string{"x"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			yaml, stderr, code := initHere(t, nil, c.dsn(t))
			if code != 0 {
				t.Fatalf("init: exit %d: %s", code, stderr)
			}
			for before, after := range map[string]string{
				"    key: id\n": "    paths: {city: {column: data, path: address.city}, zip: {column: data, path: [address, zip]}, sku: {column: data, path: lines.sku}}\n    key: id\n",
				"metadata: {":   "metadata: {city: keyword, zip: number, sku: keyword, ",
			} {
				yaml = strings.Replace(yaml, before, after, 1)
			}
			if !strings.Contains(yaml, "metadata: {") { // SQLite has none of its own
				yaml = strings.Replace(yaml, "    content: {", "    metadata: {city: keyword, zip: number, sku: keyword}\n    content: {", 1)
			}
			file := ownPlace(t, yaml)
			if stdout, stderr, code := runHere(t, nil, "check", "-c", file); code != 0 {
				t.Fatalf("check: exit %d: %s%s\n%s", code, stdout, stderr, yaml)
			}
			p := follow(t, file)
			for _, q := range append(c.found, "berlin", "10115", "blue ab1", "city:Berlin", "zip:[10000 TO 10200]", "sku:cd2") {
				p.found(t, "item", q, 1)
			}
			for _, q := range append(c.missing, "address", "sku", "true") {
				p.found(t, "item", q, 0)
			}
			var hit struct {
				Hits []struct {
					Fields struct {
						Data, SKU, City any
					}
				}
			}
			p.as("").answer(t, "/api/v1/tables/item/search?q=berlin", &hit)
			var want any
			if err := json.Unmarshal([]byte(object), &want); err != nil {
				t.Fatal(err)
			}
			if len(hit.Hits) != 1 || !reflect.DeepEqual(hit.Hits[0].Fields.Data, want) || !reflect.DeepEqual(hit.Hits[0].Fields.SKU, []any{"ab1", "cd2"}) || hit.Hits[0].Fields.City != "Berlin" {
				t.Errorf("got %+v, want the object, and the values at its paths in their order", hit)
			}
			isEqual(t, file, "--content")
		})
	}
}
