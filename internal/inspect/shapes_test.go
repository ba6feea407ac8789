package inspect

import (
	"strings"
	"testing"

	"indexerd/internal/doc"
	"indexerd/internal/pgtest"
)

// A shape is a schema for both databases, and text that its configuration has or
// does not have.
type shape struct {
	name       string
	schema     string // statements for both databases; INSTANT is replaced by their time type
	want, none []string
}

var shapes = []shape{
	{
		"no key", `CREATE TABLE a (title VARCHAR(80), updated_at INSTANT)`,
		[]string{"# a: no primary key, and no unique index on columns that are NOT NULL: add a primary key"}, []string{"  a:\n"},
	},
	{
		"a unique index that may be NULL is no key", `CREATE TABLE a (id INTEGER UNIQUE, title VARCHAR(80), updated_at INSTANT)`,
		[]string{"# a: no primary key"}, []string{"  a:\n"},
	},
	{
		"a unique index instead of a primary key", `CREATE TABLE a (id INTEGER NOT NULL UNIQUE, title VARCHAR(80), updated_at INSTANT)`,
		[]string{"# not the primary key, but unique and NOT NULL\n    key: id\n"}, nil,
	},
	{
		"an index of some rows is no key", `CREATE TABLE a (id INTEGER NOT NULL, title VARCHAR(80), updated_at INSTANT); CREATE UNIQUE INDEX a_some ON a (id) WHERE id > 5`,
		[]string{"# a: no primary key"}, []string{"  a:\n"},
	},
	{
		"a key of times", `CREATE TABLE a (at INSTANT PRIMARY KEY NOT NULL, title VARCHAR(80), updated_at INSTANT)`,
		[]string{"# a: no key of integers, UUIDs or text (at)"}, []string{"  a:\n"},
	},
	{
		"a composite key in another order than the columns", `CREATE TABLE a (id INTEGER NOT NULL, tenant INTEGER NOT NULL, title VARCHAR(80), updated_at INSTANT, PRIMARY KEY (tenant, id))`,
		[]string{"key: [tenant, id]", "SELECT id, tenant, title, updated_at"}, nil,
	},
	{
		"no updated column", `CREATE TABLE a (id INTEGER PRIMARY KEY, title VARCHAR(80), updates INTEGER)`,
		[]string{"# a: no column with the time of a row's last change: add updated_at"}, []string{"  a:\n"},
	},
	{
		"times that are not of the row's last change", `CREATE TABLE a (id INTEGER PRIMARY KEY, title VARCHAR(80), born INSTANT, price_updated_at INSTANT)`,
		[]string{"# a: no column looks like the time of a row's last change: if every change sets one of its times (born, price_updated_at)"}, []string{"  a:\n"},
	},
	{
		"of several updated columns, the indexed one", `CREATE TABLE a (id INTEGER PRIMARY KEY, title VARCHAR(80), updated_at INSTANT, modified INSTANT); CREATE INDEX a_modified ON a (modified)`,
		[]string{"updated: modified  #", "# or: updated_at\n"}, []string{"without this index"},
	},
	{
		"of several updated columns, the one with a default", `CREATE TABLE a (id INTEGER PRIMARY KEY, title VARCHAR(80), changed INSTANT, updated_at INSTANT DEFAULT CURRENT_TIMESTAMP)`,
		[]string{"updated: updated_at  # set on INSERT", "CREATE INDEX a_updated_at_idx ON a (updated_at)"}, nil,
	},
	{
		"no text", `CREATE TABLE a (id INTEGER PRIMARY KEY, n INTEGER, updated_at INSTANT)`,
		[]string{"# a: no column holds text to search"}, []string{"  a:\n"},
	},
	{
		"secrets", `CREATE TABLE a (id INTEGER PRIMARY KEY, title VARCHAR(80), password_hash VARCHAR(80), api_token VARCHAR(20), updated_at INSTANT)`,
		[]string{"# omitted: password_hash (looks like a secret), api_token (looks like a secret)", "SELECT id, title, updated_at"}, nil,
	},
	{
		"names that need quotes", `CREATE TABLE "Order" ("Order Id" INTEGER PRIMARY KEY, "a ""b""" VARCHAR(80), "select" VARCHAR(80), "on" VARCHAR(9), "größe" VARCHAR(80), "1st" VARCHAR(80), "content" VARCHAR(8), "updated at" VARCHAR(8), "Updated_At" INSTANT)`,
		[]string{"\n  order:\n", `FROM "Order"`, "key: Order_Id\n", "updated: Updated_At_2 ", "a_b", "select", `"on": keyword`, "größe", "c_1st", "c_1st, content, updated_at]"}, []string{"content: keyword"},
	},
	{
		"tables with the same name in the configuration", `CREATE TABLE "a b" (id INTEGER PRIMARY KEY, title VARCHAR(80), updated_at INSTANT); CREATE TABLE a_b (id INTEGER PRIMARY KEY, title VARCHAR(80), updated_at INSTANT);
			CREATE TABLE lock (id INTEGER PRIMARY KEY, title VARCHAR(80), updated_at INSTANT)`,
		[]string{"\n  a_b:\n", "\n  a_b_2:\n", "\n  lock_2:\n"}, nil,
	},
	{
		"a self reference makes no child", `CREATE TABLE a (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES a (id), title VARCHAR(80), updated_at INSTANT)`,
		[]string{"metadata: {parent_id: number}"}, []string{"children:"},
	},
	{
		"a cycle", `CREATE TABLE a (id INTEGER PRIMARY KEY, b_id INTEGER, title VARCHAR(80), updated_at INSTANT);
			CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a (id), title VARCHAR(80), updated_at INSTANT); CYCLE`,
		[]string{"SELECT a_id, updated_at, title\n          FROM b\n        key: a_id"}, nil,
	},
	{
		"two references to one table", `CREATE TABLE a (id INTEGER PRIMARY KEY, title VARCHAR(80), updated_at INSTANT);
			CREATE TABLE b (id INTEGER PRIMARY KEY, x INTEGER REFERENCES a (id), y INTEGER REFERENCES a (id), title VARCHAR(80), updated_at INSTANT)`,
		[]string{"      bs:\n", "      bs_by_y:\n"}, nil,
	},
	{
		"a child by a composite key in another order",
		`CREATE TABLE a (tenant INTEGER NOT NULL, id INTEGER NOT NULL, title VARCHAR(80), updated_at INSTANT, PRIMARY KEY (tenant, id), UNIQUE (id, tenant));
			CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER, a_tenant INTEGER, note VARCHAR(80), updated_at INSTANT, FOREIGN KEY (a_id, a_tenant) REFERENCES a (id, tenant))`,
		[]string{"key: [a_tenant, a_id]"}, nil,
	},
	{
		"a link without updated to a table with it",
		`CREATE TABLE a (id INTEGER PRIMARY KEY, title VARCHAR(80), updated_at INSTANT); CREATE TABLE b (id INTEGER PRIMARY KEY, name VARCHAR(80), updated_at INSTANT);
			CREATE TABLE a_b (a_id INTEGER REFERENCES a (id), b_id INTEGER REFERENCES b (id), PRIMARY KEY (a_id, b_id))`,
		[]string{"SELECT l.a_id, r.updated_at, r.name\n          FROM a_b l JOIN b r ON r.id = l.b_id", "# of b; a change of a_b is found by the sweep"}, []string{"# a_b:"},
	},
	{
		"a link without updated on either side",
		`CREATE TABLE a (id INTEGER PRIMARY KEY, title VARCHAR(80), updated_at INSTANT); CREATE TABLE b (id INTEGER PRIMARY KEY, name VARCHAR(80));
			CREATE TABLE a_b (a_id INTEGER REFERENCES a (id), b_id INTEGER REFERENCES b (id), PRIMARY KEY (a_id, b_id))`,
		[]string{"SELECT l.a_id, r.name\n", "# neither a_b nor b has the time of the last change: the sweep finds changes"}, nil,
	},
	{
		"a link of a table with itself",
		`CREATE TABLE a (id INTEGER PRIMARY KEY, name VARCHAR(80), updated_at INSTANT); CREATE TABLE friend (one INTEGER REFERENCES a (id), other INTEGER REFERENCES a (id), updated_at INSTANT NOT NULL, PRIMARY KEY (one, other))`,
		[]string{"FROM friend l JOIN a r ON r.id = l.other", "FROM friend l JOIN a r ON r.id = l.one", "      as:\n", "      as_by_other:\n"}, nil,
	},
	{
		"a table without text or updated is no child",
		`CREATE TABLE a (id INTEGER PRIMARY KEY, title VARCHAR(80), updated_at INSTANT); CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a (id), n INTEGER, updated_at INSTANT);
			CREATE TABLE c (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a (id), note VARCHAR(80))`,
		[]string{"# b: no column holds text", "# c: no column with the time"}, []string{"children:"},
	},
	{
		"a child with the name of a column", `CREATE TABLE a (id INTEGER PRIMARY KEY, notes VARCHAR(80), updated_at INSTANT); CREATE TABLE note (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a (id), text VARCHAR(80), updated_at INSTANT)`,
		[]string{"      notes_by_a_id:\n"}, nil,
	},
}

func TestShapes(t *testing.T) {
	for _, s := range shapes {
		t.Run("postgres/"+s.name, func(t *testing.T) {
			schema := strings.NewReplacer("INSTANT", "TIMESTAMPTZ", "CYCLE", "ALTER TABLE a ADD FOREIGN KEY (b_id) REFERENCES b (id)").Replace(s.schema)
			c, open := postgres(t, func(dsn string) { pgtest.Exec(t, dsn, schema) })
			yaml, tables := Config(c, pagilaAt)
			if tables > 0 {
				works(t, yaml, open)
			}
			s.check(t, yaml)
		})
		t.Run("sqlite/"+s.name, func(t *testing.T) {
			schema := strings.NewReplacer("INSTANT", "DATETIME", "b_id INTEGER, title", "b_id INTEGER REFERENCES b (id), title", "CYCLE", "").Replace(s.schema)
			c, open := lite(t, "shape.db", schema)
			yaml, tables := Config(c, Source{Driver: "sqlite", DSN: "shape.db"})
			if tables > 0 {
				works(t, yaml, open)
			}
			s.check(t, yaml)
		})
	}
}

func (s shape) check(t *testing.T, yaml string) {
	t.Helper()
	for _, want := range s.want {
		if !strings.Contains(yaml, want) {
			t.Errorf("got\n%s\nwant %q in it", yaml, want)
		}
	}
	for _, none := range s.none {
		if strings.Contains(yaml, none) {
			t.Errorf("got\n%s\nwant no %q in it", yaml, none)
		}
	}
}

func TestPostgresShapes(t *testing.T) {
	for _, s := range []shape{
		{
			"a time without a zone gets the server's", `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET TimeZone = %L', current_database(), 'Europe/Berlin'); END $$; CREATE TABLE a (id int PRIMARY KEY, title text, updated_at timestamp)`,
			[]string{"# updated has no time zone; this one is the server's\n    timezone: Europe/Berlin\n"}, nil,
		},
		{
			"a zone that is not in the time zone data", `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET TimeZone = %L', current_database(), '<-03>3'); END $$; CREATE TABLE a (id int PRIMARY KEY, title text, updated_at timestamp)`,
			[]string{"timezone: UTC\n"}, nil,
		},
		{
			"another schema", `CREATE SCHEMA sales; CREATE TABLE sales.order (id int PRIMARY KEY, title text, updated_at timestamptz)`,
			[]string{"\n  sales_order:\n", `FROM sales."order"`}, nil,
		},
		{
			"a date as the last resort", `CREATE TABLE a (id int PRIMARY KEY, title text, updated date, modified bigint); CREATE TABLE b (id int PRIMARY KEY, title text, updated date)`,
			[]string{"updated: modified ", "# or: updated\n", "# a date: every window reads the rows of a whole day"}, nil,
		},
		{
			"a reference that names no columns", `CREATE TABLE a (id int PRIMARY KEY, title text, updated_at timestamptz); CREATE TABLE b (id int PRIMARY KEY, a_id int REFERENCES a, title text, updated_at timestamptz)`,
			[]string{"      bs:\n"}, nil,
		},
		{
			"types", `CREATE TYPE mood AS ENUM ('good'); CREATE DOMAIN title AS varchar(20); CREATE TABLE a (id uuid PRIMARY KEY, t title, m mood, tags text[], j jsonb, b bytea, v tsvector, c money, p point, d date, f float8, ref uuid, updated_at timestamptz)`,
			[]string{"metadata: {t: keyword, m: keyword, tags: keyword, d: date, f: number, ref: keyword}", "# omitted: j (jsonb), b (bytea), v (tsvector), c (money), p (point)"}, nil,
		},
	} {
		t.Run(s.name, func(t *testing.T) {
			c, open := postgres(t, func(dsn string) { pgtest.Exec(t, dsn, s.schema) })
			yaml, _ := Config(c, pagilaAt)
			works(t, yaml, open)
			s.check(t, yaml)
		})
	}
}

func TestDeniedTable(t *testing.T) {
	columns := []doc.CatalogColumn{
		{Name: "id", SQL: "id", Kind: doc.NumberColumn, Key: true}, {Name: "t", SQL: "t", Kind: doc.TextColumn},
		{Name: "updated_at", SQL: "updated_at", Kind: doc.InstantColumn, Time: true},
	}
	yaml, tables := Config(doc.Catalog{Tables: []doc.CatalogTable{{Name: "a", SQL: "a", Denied: true, Columns: columns, Keys: [][]string{{"id"}}, Primary: true}}}, pagilaAt)
	if want := "# a: the role has no SELECT privilege: GRANT SELECT ON a TO this role"; tables != 0 || !strings.Contains(strings.ToLower(yaml), strings.ToLower(want)) {
		t.Errorf("got %d tables and\n%s\nwant none, and %q", tables, yaml, want)
	}
}
