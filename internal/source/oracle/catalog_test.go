package oracle

import (
	"context"
	"database/sql/driver"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/horizon"
	"indexerd/internal/source/stdsql"
	"indexerd/internal/test/fakedriver"
)

// answer has columns of these types, of which NUMBER is a number and all others are
// texts.
func answer(to, types string, rows ...[]driver.Value) fakedriver.Answer {
	a := fakedriver.Answer{To: to, Rows: rows}
	for _, c := range types {
		a.Columns = append(a.Columns, fakedriver.Column{Name: "C", Type: map[rune]string{'n': "NUMBER", 't': "NCHAR"}[c]})
	}
	return a
}

var catalogAnswers = []fakedriver.Answer{
	answer("SELECT o.owner, o.table_name, NVL(o.num_rows, 0)", "ttntt", []driver.Value{"OTHER", "FILM", "3", "SHOP", "ORCL"}, []driver.Value{"SHOP", "FILM", "1000", "SHOP", "ORCL"}, []driver.Value{"SHOP", "Mixed", "5", "SHOP", "ORCL"}),
	answer("FROM all_views", "tt", []driver.Value{"SHOP", "FILM_LIST"}, []driver.Value{"OTHER", "HIDDEN"}),
	answer("FROM all_tab_columns", "tttttnnnt",
		[]driver.Value{"SHOP", "FILM", "FILM_ID", "NUMBER", "N", "0", "0", "22", nil},
		[]driver.Value{"SHOP", "FILM", "TITLE", "VARCHAR2", "N", "255", nil, "1020", nil},
		[]driver.Value{"SHOP", "FILM", "LAST_UPDATE", "TIMESTAMP(6)", "Y", "0", "6", "11", "SYSTIMESTAMP "},
		[]driver.Value{"SHOP", "FILM", "RATE", "NUMBER", "Y", "0", "2", "22", nil},
		[]driver.Value{"SHOP", "FILM", "order", "CLOB", "Y", "0", nil, "4000", nil},
		[]driver.Value{"SHOP", "FILM", "DATA", "VARCHAR2", "Y", "4000", nil, "4000", nil},
		[]driver.Value{"SHOP", "FILM", "OWN", "JSON", "Y", "0", nil, "8200", nil},
		[]driver.Value{"SHOP", "FILM", "DOC", "XMLTYPE", "Y", "0", nil, "2000", nil},
		[]driver.Value{"SHOP", "FILM", "LEN", "INTERVAL YEAR(4) TO MONTH", "Y", "0", "0", "5", nil},
		[]driver.Value{"SHOP", "FILM", "PHOTO", "BLOB", "Y", "0", nil, "4000", nil},
		[]driver.Value{"SHOP", "FILM", "SPOT", "SDO_GEOMETRY", "Y", "0", nil, "1", nil},
		[]driver.Value{"SHOP", "Mixed", "ID", "RAW", "N", "0", nil, "16", nil},
		[]driver.Value{"SHOP", "Mixed", "FILM_ID", "NUMBER", "Y", "0", nil, "22", nil}),
	answer("FROM all_json_columns", "ttt", []driver.Value{"SHOP", "FILM", "DATA"}, []driver.Value{"SHOP", "FILM", "OWN"}),
	answer("FROM all_indexes", "ttttt",
		[]driver.Value{"SHOP", "FILM", "FILM_ID", "UNIQUE", "P"}, []driver.Value{"SHOP", "FILM", "LAST_UPDATE,FILM_ID", "NONUNIQUE", "N"}, []driver.Value{"SHOP", "Mixed", "FILM_ID", "UNIQUE", "N"}),
	answer("o.constraint_type = 'R'", "tttttttt", []driver.Value{"SHOP", "Mixed", "FK", "FILM_ID", "SHOP", "FILM", "FILM_ID", "CASCADE"}),
	answer("FROM all_triggers", "ttt", []driver.Value{"SHOP", "FILM", "BEGIN\n  :NEW.last_update := SYSTIMESTAMP;\nEND;"}),
}

var examineAnswers = []fakedriver.Answer{
	answer("product_component_version", "ttttn", []driver.Value{"Oracle Database 19c Enterprise Edition 19.0.0.0.0", "2026-11-23 09:00:00.5", "READER", "tcps", "0"}),
	fakedriver.Answer{To: "FROM gv$session s, gv$transaction t, dba_2pc_pending p", Err: ora(942, "table or view does not exist")},
	answer("FROM all_tables t", "tnn", []driver.Value{"FILM", "1000", "1"}, []driver.Value{"ACTOR", "70", "0"}, []driver.Value{"SECRET", "9999", "1"}),
}

func TestCatalog(t *testing.T) {
	d, _ := fake(t, catalogAnswers...)
	got, err := d.Catalog(t.Context(), acquire(t, d))
	if err != nil {
		t.Fatal(err)
	}
	want := doc.Catalog{
		Name: "ORCL", Zone: "UTC", Greatest: "GREATEST", Views: []string{"film_list"},
		Tables: []doc.CatalogTable{
			{Name: "film", SQL: "film", Rows: 1000, Primary: true, Keys: [][]string{{"film_id"}}, Columns: []doc.CatalogColumn{
				{Name: "film_id", SQL: "film_id", Type: "NUMBER", Kind: doc.NumberColumn, NotNull: true, Key: true, Time: true, Indexed: true},
				{Name: "title", SQL: "title", Type: "VARCHAR2", Kind: doc.TextColumn, Length: 255, NotNull: true, Key: true},
				{Name: "last_update", SQL: "last_update", Type: "TIMESTAMP(6)", Kind: doc.WallColumn, Time: true, Indexed: true, Now: true, Maintained: true},
				{Name: "rate", SQL: "rate", Type: "NUMBER", Kind: doc.NumberColumn, Time: true},
				{Name: "ORDER", SQL: `"order"`, Type: "CLOB", Kind: doc.TextColumn},
				{Name: "data", SQL: "data", Type: "VARCHAR2", Kind: doc.JSONColumn, Marked: true, Key: true},
				{Name: "own", SQL: "own", Type: "JSON", Kind: doc.JSONColumn},
				{Name: "doc", SQL: "doc", Type: "XMLTYPE", Kind: doc.TextColumn},
				{
					Name: "len", SQL: "len", Type: "INTERVAL YEAR(4) TO MONTH", Reason: "in months",
					Forms: []doc.CatalogForm{{SQL: "EXTRACT(YEAR FROM %[1]s) * 12 + EXTRACT(MONTH FROM %[1]s)", Kind: doc.NumberColumn}},
				},
				{Name: "photo", SQL: "photo", Type: "BLOB", Reason: "bytes"},
				{Name: "spot", SQL: "spot", Type: "SDO_GEOMETRY", Reason: "a shape"},
			}},
			{Name: "Mixed", SQL: `"Mixed"`, Rows: 5, References: []doc.CatalogReference{{To: "film", Columns: []string{"film_id"}, OtherColumns: []string{"film_id"}, Cascades: true}}, Columns: []doc.CatalogColumn{
				{Name: "id", SQL: "id", Type: "RAW", Kind: doc.WordColumn, NotNull: true, Key: true},
				{Name: "film_id", SQL: "film_id", Type: "NUMBER", Kind: doc.NumberColumn, Key: true, Time: true, Indexed: true},
			}},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestExamine(t *testing.T) {
	d, _ := fake(t, examineAnswers...)
	s := acquire(t, d)
	server, err := d.Server(t.Context(), s)
	if err != nil || server.SeesTransactions || server.TLS != "tcps" || !server.Verified || !server.Remote || server.Role != `"READER"` || !strings.HasPrefix(server.Version, "Oracle Database 19c") || server.Now.IsZero() || strings.Count(server.Advice.Sight, `TO "READER"`) != 3 {
		t.Errorf("got %+v, %v, want a remote server by TLS and an account that does not see transactions", server, err)
	}
	of := &dialect.Described{Wrapped: dialect.Wrapped{SQL: "SELECT f.id FROM shop.Film f JOIN actor a ON 1 = 1"}}
	if names, err := d.Writable(t.Context(), s, []*dialect.Described{of}); err != nil || !reflect.DeepEqual(names, []string{"film"}) {
		t.Errorf("got %v, %v, want film", names, err)
	}
	if rows, err := d.Estimate(t.Context(), s, of); err != nil || rows != 1000 {
		t.Errorf("got %d rows, %v, want 1000", rows, err)
	}
}

// TestOtherStatements compares what the dialect asks beside the engine's questions with a
// file, which the grammar parses.
func TestOtherStatements(t *testing.T) {
	d, server := fake(t, slices.Concat(catalogAnswers, examineAnswers, []fakedriver.Answer{
		fakedriver.Values("DATABASE_ROLE", []driver.Value{"PRIMARY"}), fakedriver.Values("DB_UNIQUE_NAME", []driver.Value{"shop", "2026"}), {To: "gv$"}, {To: "dba_2pc_pending"},
	})...)
	s := acquire(t, d)
	if _, err := d.Catalog(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Server(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Estimate(t.Context(), s, &dialect.Described{}); err != nil {
		t.Fatal(err)
	}
	if err := d.Connect(t.Context(), func(ctx context.Context, c horizon.Conn) error {
		_, one := c.Identity(ctx)
		_, two := c.Sample(ctx)
		_, three := c.State(ctx)
		return errors.Join(one, two, three)
	}); err != nil {
		t.Fatal(err)
	}
	got := "-- What the dialect asks beside the engine's questions.\n"
	for _, sql := range server.Sent() {
		if strings.HasPrefix(sql, "SELECT") && !strings.Contains(got, sql) {
			got += "\n" + sql + ";\n"
		}
	}
	const file = "testdata/catalog.sql"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || got != string(want) {
		t.Errorf("got other statements than in %s, %v: if the change is meant, run the test with -update and read the difference", file, err)
	}
}

func TestAddress(t *testing.T) {
	t.Setenv("ORACLE_PWD", "from the environment")
	for dsn, want := range map[string]string{
		"oracle://reader@db.example/shop":                            "db.example:1521/shop",
		"oracle://reader:se%40cret@db.example:2484/shop?ssl=true":    "db.example:2484/shop",
		"oracle://reader@db.example:1521?SID=ORCL&ssl%20verify=true": "db.example:1521/ORCL",
	} {
		a, err := parseDSN(dsn)
		if err != nil || a.String() != want || a.user != "reader" || !stdsql.IsRemote(a.host) || a.password != map[bool]string{true: "se@cret", false: "from the environment"}[strings.Contains(dsn, "cret")] {
			t.Errorf("%s: got %+v, %v, want %s", dsn, a, err, want)
		}
	}
	for _, dsn := range []string{"", "oracle://", "postgres://u@h/d", "oracle://u:secret@h", "oracle://u:secret@h:x/d", "oracle://u:secret@h/d?nothing=1", "oracle://u:se/cret@h/d", "oracle://u:secret@h:1521/%zz"} {
		if _, err := parseDSN(dsn); err == nil || strings.Contains(err.Error(), "cret") {
			t.Errorf("%s: got %v, want an error without the password", dsn, err)
		}
	}
}

// TestToken has more columns than one text has room for, and a large object.
func TestToken(t *testing.T) {
	columns, exprs := make([]dialect.Column, 300), make([]string, 300)
	for i := range exprs {
		exprs[i] = "x." + quote("C")
	}
	token := (&DB{}).Token(&dialect.Described{Columns: columns}, exprs)
	if got := strings.Count(token, "STANDARD_HASH("); got != 300+3+1 {
		t.Errorf("got %d digests, want one of each column, of each 120 and of all", got)
	}
	columns[7].Type = "CLOB"
	token = (&DB{}).Token(&dialect.Described{Columns: columns}, exprs)
	if !strings.HasPrefix(token, "CASE WHEN DBMS_LOB.GETLENGTH(") || !strings.Contains(token, " > 16000 THEN NULL ELSE ") || !strings.Contains(token, ", 1001, 15001)") {
		t.Errorf("got %s, want no token above 16,000 characters, and a part for the last of them", token)
	}
	columns[8].Type = "JSON"
	if token := (&DB{}).Token(&dialect.Described{Columns: columns}, exprs); token != "" {
		t.Errorf("got %s with a JSON column, want none", token)
	}
}
