package postgres

import (
	"fmt"
	"reflect"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/pgtest"
)

// Each type is selected as it is, in another form, or left out with a reason.
func TestCatalogKinds(t *testing.T) {
	t.Parallel()
	c := catalogOf(t, `CREATE EXTENSION hstore; CREATE EXTENSION ltree; CREATE TYPE mood AS ENUM ('good', 'bad'); CREATE TYPE address AS (street text, zip int); CREATE DOMAIN posint AS int;
		CREATE TABLE t (j json, h hstore, l ltree, x xml, ip inet, net cidr, mac macaddr, tm time, tz timetz, b1 bit, b8 bit(8), vb varbit, o oid, c "char",
			moods mood[], n numeric[], d date[], s text[], js jsonb[], dom posint[], ips inet[], bs bytea[],
			price money, prices money[], len interval, nr numrange, tr tstzrange, dr daterange, mr int4multirange, a address, aa address[], p point,
			b bytea, v tsvector, q tsquery, bx box)`)
	number := func(sql string) []doc.CatalogForm {
		return []doc.CatalogForm{{SQL: sql, Kind: doc.NumberColumn}}
	}
	bounds := func(kind doc.ColumnKind) []doc.CatalogForm {
		return []doc.CatalogForm{{Suffix: "_from", SQL: "lower(%s)", Kind: kind}, {Suffix: "_to", SQL: "upper(%s)", Kind: kind}}
	}
	asJSON := []doc.CatalogForm{{SQL: "to_jsonb(%s)", Kind: doc.JSONColumn}}
	want := map[string]any{
		"j": doc.JSONColumn, "h": doc.JSONColumn, "l": doc.WordColumn, "x": doc.TextColumn, "ip": doc.WordColumn, "net": doc.WordColumn, "mac": doc.WordColumn, "tm": doc.WordColumn, "tz": doc.WordColumn,
		"b1": doc.BooleanColumn, "b8": doc.WordColumn, "vb": doc.WordColumn, "o": doc.NumberColumn, "c": doc.WordColumn,
		"moods": doc.WordColumn, "n": doc.NumberColumn, "d": doc.DateColumn, "s": doc.WordColumn, "js": doc.JSONColumn, "dom": doc.NumberColumn, "ips": doc.WordColumn, "bs": "bytes",
		"price": number("%s::numeric"), "prices": number("%s::numeric[]"), "len": number("extract(epoch FROM %s)"),
		"nr": bounds(doc.NumberColumn), "tr": bounds(doc.InstantColumn), "dr": bounds(doc.DateColumn), "mr": bounds(doc.NumberColumn), "a": asJSON, "aa": asJSON,
		"p": []doc.CatalogForm{{Suffix: "_x", SQL: "(%s)[0]", Kind: doc.NumberColumn}, {Suffix: "_y", SQL: "(%s)[1]", Kind: doc.NumberColumn}},
		"b": "bytes", "v": "a search vector: index the columns that it is made of", "q": "a query", "bx": "a shape",
	}
	for _, column := range c.Tables[0].Columns {
		var got any = column.Kind
		switch {
		case column.Forms != nil:
			got = column.Forms
		case column.Kind == doc.OtherColumn:
			got = column.Reason
		}
		if !reflect.DeepEqual(got, want[column.Name]) {
			t.Errorf("%s %s: got %v, want %v", column.Name, column.Type, got, want[column.Name])
		}
	}
}

func TestDecodeHstore(t *testing.T) {
	for text, want := range map[string]string{
		`"a"=>"1", "b"=>NULL`:              `{"a":"1","b":null}`,
		`"q\"uo\\te"=>"x=>y, \"z\"=>NULL"`: `{"q\"uo\\te":"x=>y, \"z\"=>NULL"}`,
		``:                                 `{}`,
	} {
		if got, err := decodeHstore(text); got != doc.JSON(want) || err != nil {
			t.Errorf("%s: got %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{`a`, `"a`, `"a"`, `"a"=>`, `"a"=>b`, `"a"=>"b`, `"\`} {
		if got, err := decodeHstore(text); err == nil {
			t.Errorf("%s: got %v, want an error", text, got)
		}
	}
}

// What the server writes of an hstore is read as the object that it makes of it.
func TestHstoreIsAnObject(t *testing.T) {
	t.Parallel()
	dsn := pgtest.DB(t)
	pgtest.Exec(t, dsn, "CREATE EXTENSION hstore")
	for _, pairs := range []string{`'a', 'b'`, `'', ''`, `'a"b', E'x\\y'`, `'n', NULL`, `'é', E'line\nbreak'`} {
		text := pgtest.Value[string](t, dsn, fmt.Sprintf("SELECT hstore(%s)::text", pairs))
		want := doc.At(doc.JSON(`{"v":`+pgtest.Value[string](t, dsn, fmt.Sprintf("SELECT hstore(%s)::json::text", pairs))+`}`), []string{"v"})
		got, err := decodeHstore(text)
		if err != nil || doc.FormatText(got) != doc.FormatText(want) {
			t.Errorf("%s: got %v, %v, want %v", pairs, got, err, want)
		}
	}
}
