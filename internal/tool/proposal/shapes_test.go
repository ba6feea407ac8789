package proposal

import (
	"strings"
	"testing"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/test/pgtest"
)

// A shape is a schema for both databases, and text that its configuration has or
// does not have.
type shape struct {
	name       string
	schema     string // statements for both databases; INSTANT is replaced by their time type
	want, none []string
}

// grow makes the tables of a catalog too large for comparison where they have an
// updateTime.
func grow(c *doc.Catalog) {
	for i := range c.Tables {
		c.Tables[i].Rows = comparable + 1
	}
}

var shapes = []shape{
	{
		"no key", `CREATE TABLE a (title VARCHAR(80), updated_at INSTANT); CREATE TABLE b (id INTEGER PRIMARY KEY, name VARCHAR(80)); CREATE TABLE c (x INTEGER, n INTEGER); CREATE TABLE d (id INTEGER PRIMARY KEY, first_name VARCHAR(80), last_name VARCHAR(80));
			CREATE TABLE e (b_id INTEGER REFERENCES b (id), d_id INTEGER REFERENCES d (id), parent INTEGER REFERENCES b (id), n INTEGER)`,
		[]string{
			"  a:\n", "# no primary key, and no unique index on columns that are NOT NULL: the key is a digest of the row, and an UPDATE is a new document\n    key: row\n" +
				"    # followed by comparison, which reads and sorts all rows, here 0 rows, when something changed; a primary key makes that cheap\n    content: {fields: [title]}\n    title: title\n    metadata: {updated_at: date}\n",
			"title: \"{first_name} {last_name}\"\n",
			"# no column holds text: all columns are searched as words\n    content: {fields: [x, \"n\"]}\n    metadata: {x: number, \"n\": number}\n",
			"      SELECT l.b_id, l.d_id, l.parent, l.n, r1.name AS \"b\", r2.first_name AS \"d_first_name\",\n             r2.last_name AS \"d_last_name\", r3.name AS \"parent_name\"\n" +
				"      FROM e l\n      LEFT JOIN b r1 ON r1.id = l.b_id\n      LEFT JOIN d r2 ON r2.id = l.d_id\n      LEFT JOIN b r3 ON r3.id = l.parent\n",
			"    content: {fields: [b, d_first_name, d_last_name, parent_name]}\n    metadata: {b_id: number, d_id: number, parent: number, \"n\": number, b: keyword, parent_name: keyword}\n",
		}, []string{"children:", "updated:"},
	},
	{
		"a unique index that may be NULL is no key", `CREATE TABLE a (id INTEGER UNIQUE, title VARCHAR(80), updated_at INSTANT)`,
		[]string{"    key: row\n"}, []string{"key: id"},
	},
	{
		"a unique index instead of a primary key", `CREATE TABLE a (id INTEGER NOT NULL UNIQUE, title VARCHAR(80), updated_at INSTANT)`,
		[]string{"# not the primary key, but unique and NOT NULL\n    key: id\n"}, nil,
	},
	{
		"an index of some rows is no key", `CREATE TABLE a (id INTEGER NOT NULL, title VARCHAR(80), updated_at INSTANT); CREATE UNIQUE INDEX a_some ON a (id) WHERE id > 5`,
		[]string{"    key: row\n"}, []string{"key: id"},
	},
	{
		"a composite key in another order than the columns", `CREATE TABLE a (id INTEGER NOT NULL, tenant INTEGER NOT NULL, title VARCHAR(80), updated_at INSTANT, PRIMARY KEY (tenant, id))`,
		[]string{"key: [tenant, id]", "SELECT id, tenant, title, updated_at"}, nil,
	},
	{
		"no updated column", `CREATE TABLE a (id INTEGER PRIMARY KEY, title VARCHAR(80), updates INTEGER)`,
		[]string{"    # followed by comparison: no column looks like the time of a row's last change\n    key: id\n    content: {fields: [title]}\n"}, []string{"    updated:"},
	},
	{
		"a number that may be a mark", `CREATE TABLE a (id INTEGER PRIMARY KEY, title VARCHAR(80), modified INTEGER)`,
		[]string{"# followed by comparison: no trigger or default shows that modified is the time of a row's last change\n"}, []string{"    updated:"},
	},
	{
		"names of referenced rows", `CREATE TABLE genre (id INTEGER PRIMARY KEY, name VARCHAR(80), note VARCHAR(80)); CREATE TABLE box (place VARCHAR(80), code VARCHAR(8) PRIMARY KEY NOT NULL); CREATE TABLE password (id INTEGER PRIMARY KEY, secret VARCHAR(80));
			CREATE TABLE a (id INTEGER PRIMARY KEY, GenreId INTEGER REFERENCES genre (id), box_code VARCHAR(8) REFERENCES box (code), pass_id INTEGER REFERENCES password (id))`,
		[]string{"r1.name AS ", "LEFT JOIN genre r1 ON r1.id = l.", "r2.place AS \"box\"\n", "LEFT JOIN box r2 ON r2.code = l.box_code\n", "LEFT JOIN box r2 ON r2.code = l.box_code\n    # followed"}, []string{"children", "JOIN password"},
	},
	{
		"a row of numbers is found by the names that it references", `CREATE TABLE a (id INTEGER PRIMARY KEY, title VARCHAR(80)); CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a (id), n INTEGER)`,
		[]string{"    sql: SELECT l.id, l.a_id, l.n, r1.title AS \"a\" FROM b l LEFT JOIN a r1 ON r1.id = l.a_id\n", "    # no column holds text: the key is searched as words\n    content: {fields: [id, a]}\n    metadata: {a_id: number, \"n\": number, a: keyword}\n"}, []string{"      bs:"},
	},
	{
		"names in mixed case", `CREATE TABLE "InvoiceLine" ("InvoiceLineId" INTEGER PRIMARY KEY, "Text" VARCHAR(80), "ParentId" INTEGER REFERENCES "InvoiceLine" ("InvoiceLineId"), "Order" VARCHAR(80))`,
		[]string{"\n  invoice_line:\n", "AS \"Parent\"\n", "key: InvoiceLineId\n", "content: {fields: [Text, Order, Parent]}"}, nil,
	},
	{
		"times that are not of the row's last change", `CREATE TABLE a (id INTEGER PRIMARY KEY, title VARCHAR(80), born INSTANT, price_updated_at INSTANT)`,
		[]string{"# followed by comparison: no column looks like the time of a row's last change\n", "metadata: {born: date, price_updated_at: date}"}, []string{"    updated:"},
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
		[]string{"# no column holds text: the key is searched as words\n    content: {fields: [id]}\n    metadata: {\"n\": number}"}, nil,
	},
	{
		"secrets", `CREATE TABLE a (id INTEGER PRIMARY KEY, title VARCHAR(80), password_hash VARCHAR(80), api_token VARCHAR(20), updated_at INSTANT)`,
		[]string{"# omitted: password_hash (looks like a secret: its name has password), api_token (looks like a secret: its name has token)", "SELECT id, title, updated_at"}, nil,
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
		"a self reference names the other row", `CREATE TABLE a (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES a (id), reports_to INTEGER REFERENCES a (id), title VARCHAR(80), updated_at INSTANT)`,
		[]string{"LEFT JOIN a r1 ON r1.id = l.", "AS \"parent\"", "AS \"reports_to_title\"", "    updated: updated_at ", "parent_id: number, reports_to: number"}, []string{"children:"},
	},
	{
		"a cycle", `CREATE TABLE a (id INTEGER PRIMARY KEY, b_id INTEGER, title VARCHAR(80), updated_at INSTANT);
			CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a (id) ON DELETE CASCADE, title VARCHAR(80), updated_at INSTANT); CYCLE`,
		[]string{"        sql: SELECT a_id, updated_at, title FROM b\n        key: a_id"}, nil,
	},
	{
		"two references to one table", `CREATE TABLE a (id INTEGER PRIMARY KEY, title VARCHAR(80), updated_at INSTANT);
			CREATE TABLE a_b (id INTEGER PRIMARY KEY, x INTEGER REFERENCES a (id), y INTEGER REFERENCES a (id), title VARCHAR(80), updated_at INSTANT)`,
		[]string{"      bs:\n", "FROM a_b l JOIN a r ON r.id = l.y\n        key: x\n", "r.title, l.title AS \"title_2\"\n"}, []string{"key: y\n"},
	},
	{
		"a child by a composite key in another order",
		`CREATE TABLE a (tenant INTEGER NOT NULL, id INTEGER NOT NULL, title VARCHAR(80), updated_at INSTANT, PRIMARY KEY (tenant, id), UNIQUE (id, tenant));
			CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER, a_tenant INTEGER, note VARCHAR(80), updated_at INSTANT, FOREIGN KEY (a_id, a_tenant) REFERENCES a (id, tenant) ON DELETE CASCADE)`,
		[]string{"key: [a_tenant, a_id]"}, nil,
	},
	{
		"large: a link without updated to a table with it",
		`CREATE TABLE a (id INTEGER PRIMARY KEY, title VARCHAR(80), updated_at INSTANT); CREATE TABLE b (id INTEGER PRIMARY KEY, name VARCHAR(80), updated_at INSTANT);
			CREATE TABLE a_b (a_id INTEGER REFERENCES a (id), b_id INTEGER REFERENCES b (id), PRIMARY KEY (a_id, b_id))`,
		[]string{"SELECT l.a_id, r.updated_at, r.name FROM a_b l JOIN b r ON r.id = l.b_id\n", "# of b; a change of a_b is found by the sweep"}, []string{"# a_b:"},
	},
	{
		"large: a link without updated on either side",
		`CREATE TABLE a (id INTEGER PRIMARY KEY, title VARCHAR(80), updated_at INSTANT); CREATE TABLE b (id INTEGER PRIMARY KEY, name VARCHAR(80));
			CREATE TABLE a_b (a_id INTEGER REFERENCES a (id), b_id INTEGER REFERENCES b (id), PRIMARY KEY (a_id, b_id))`,
		[]string{"SELECT l.a_id, r.name FROM a_b l", "# neither a_b nor b has the time of the last change: the sweep finds changes"}, nil,
	},
	{
		"a link without updated is compared with its tables",
		`CREATE TABLE a (id INTEGER PRIMARY KEY, title VARCHAR(80), updated_at INSTANT); CREATE TABLE b (id INTEGER PRIMARY KEY, name VARCHAR(80), updated_at INSTANT);
			CREATE TABLE a_b (a_id INTEGER REFERENCES a (id), b_id INTEGER REFERENCES b (id), PRIMARY KEY (a_id, b_id))`,
		[]string{"    # followed by comparison: a_b, which belongs to its documents, has no time of the last change\n", "metadata: {updated_at: date}", "SELECT l.a_id, r.name FROM a_b l"}, []string{"the sweep"},
	},
	{
		"a link of a table with itself",
		`CREATE TABLE a (id INTEGER PRIMARY KEY, name VARCHAR(80), updated_at INSTANT); CREATE TABLE friend (one INTEGER REFERENCES a (id), other INTEGER REFERENCES a (id), updated_at INSTANT NOT NULL, PRIMARY KEY (one, other))`,
		[]string{"FROM friend l JOIN a r ON r.id = l.other", "      others:\n", "        key: one\n"}, []string{"key: other\n"},
	},
	{
		"large: a table without text is no child, one without updated is",
		`CREATE TABLE a (id INTEGER PRIMARY KEY, title VARCHAR(80), updated_at INSTANT); CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a (id), n INTEGER, updated_at INSTANT);
			CREATE TABLE c (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a (id) ON DELETE CASCADE, note VARCHAR(80))`,
		[]string{"      cs:\n        sql: SELECT a_id, note FROM c\n", "# c has no time of the last change: the sweep finds changes\n"}, []string{"      bs:"},
	},
	{
		"a child with the name of a column", `CREATE TABLE a (id INTEGER PRIMARY KEY, notes VARCHAR(80), updated_at INSTANT); CREATE TABLE note (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a (id) ON DELETE CASCADE, text VARCHAR(80), updated_at INSTANT)`,
		[]string{"      note:\n"}, nil,
	},
}

func TestShapes(t *testing.T) {
	for _, s := range shapes {
		t.Run("postgres/"+s.name, func(t *testing.T) {
			schema := strings.NewReplacer("INSTANT", "TIMESTAMPTZ", "CYCLE", "ALTER TABLE a ADD FOREIGN KEY (b_id) REFERENCES b (id)").Replace(s.schema)
			c, open := postgres(t, func(dsn string) { pgtest.Exec(t, dsn, schema) })
			if strings.HasPrefix(s.name, "large: ") {
				grow(&c)
			}
			yaml, tables := all(c, pagilaAt)
			if tables > 0 {
				works(t, yaml, open)
			}
			s.check(t, yaml)
		})
		t.Run("sqlite/"+s.name, func(t *testing.T) {
			schema := strings.NewReplacer("INSTANT", "DATETIME", "b_id INTEGER, title", "b_id INTEGER REFERENCES b (id), title", "CYCLE", "").Replace(s.schema)
			c, open := lite(t, "shape.db", schema)
			if strings.HasPrefix(s.name, "large: ") {
				grow(&c)
			}
			yaml, tables := all(c, Source{Driver: "sqlite", DSN: "shape.db"})
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
			[]string{"    timezone: Europe/Berlin  # the server's, as updated has none\n"}, nil,
		},
		{
			"a time in UTC by its name", `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET TimeZone = %L', current_database(), 'Europe/Berlin'); END $$; CREATE TABLE a (id int PRIMARY KEY, title text, post_modified timestamp NOT NULL, post_modified_gmt timestamp NOT NULL)`,
			[]string{"# or: post_modified\n", "updated: post_modified_gmt  #", "    timezone: UTC  # as its name says\n"}, nil,
		},
		{
			"a zone that is not in the time zone data", `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET TimeZone = %L', current_database(), '<-03>3'); END $$; CREATE TABLE a (id int PRIMARY KEY, title text, updated_at timestamp)`,
			[]string{"timezone: UTC  # "}, nil,
		},
		{
			"keys of other types", `CREATE TABLE a (at timestamptz, day date, PRIMARY KEY (at, day)); CREATE TABLE b (words tsvector PRIMARY KEY, n int); CREATE TABLE c (words tsvector PRIMARY KEY)`,
			[]string{"    key: [at, day]\n", "    # no key of columns that can be compared (words): the key is a digest of the row, and an UPDATE is a new document\n    key: row\n", "# c: no column that can be indexed: cast a column to text in a view\n"}, []string{"  c:\n"},
		},
		{
			"another schema", `CREATE SCHEMA sales; CREATE TABLE sales.order (id int PRIMARY KEY, title text, updated_at timestamptz)`,
			[]string{"\n  sales_order:\n", `FROM sales."order"`}, nil,
		},
		{
			"a date as the last resort", `CREATE TABLE a (id int PRIMARY KEY, title text, updated date, modified_at bigint); CREATE TABLE b (id int PRIMARY KEY, title text, updated date)`,
			[]string{"updated: modified_at ", "# or: updated\n", "# a date: every window reads the rows of a whole day"}, nil,
		},
		{
			"a reference that names no columns", `CREATE TABLE a (id int PRIMARY KEY, title text, updated_at timestamptz); CREATE TABLE b (id int PRIMARY KEY, a_id int REFERENCES a ON DELETE CASCADE, title text, updated_at timestamptz)`,
			[]string{"      bs:\n"}, nil,
		},
		{
			"types", `CREATE TYPE mood AS ENUM ('good'); CREATE DOMAIN title AS varchar(20); CREATE TABLE a (id uuid PRIMARY KEY, t title, m mood, tags text[], j jsonb, b bytea, v tsvector, c money, p point, d date, f float8, ref uuid, updated_at timestamptz)`,
			[]string{"metadata: {t: keyword, m: keyword, tags: keyword, c: number, p_x: number, p_y: number, d: date, f: number,", "# omitted: b (bytea: bytes), v (tsvector: a search vector"}, nil,
		},
	} {
		t.Run(s.name, func(t *testing.T) {
			c, open := postgres(t, func(dsn string) { pgtest.Exec(t, dsn, s.schema) })
			yaml, _ := all(c, pagilaAt)
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
	yaml, tables := all(doc.Catalog{Tables: []doc.CatalogTable{{Name: "a", SQL: "a", Unreadable: "the role has no SELECT privilege", Remedy: "GRANT SELECT ON a to this role", Columns: columns, Keys: [][]string{{"id"}}, Primary: true}}}, pagilaAt)
	if want := "# a: the role has no SELECT privilege: GRANT SELECT ON a TO this role"; tables != 0 || !strings.Contains(strings.ToLower(yaml), strings.ToLower(want)) {
		t.Errorf("got %d tables and\n%s\nwant none, and %q", tables, yaml, want)
	}
}

// A table without a key is omitted where the database computes none, or has to sort
// very many rows.
func TestNoRowKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		computes bool
		rows     int64
		want     string // "": proposed
	}{
		{true, configs.RowKeyRows, ""},
		{true, configs.RowKeyRows + 1, "# a: no primary key, and no unique index on columns that are NOT NULL, and 1,000,001 rows, which each comparison would sort: add a primary key, or see key: row and limits.rows in docs/configuration.md"},
		{false, 1, "# a: no primary key, and no unique index on columns that are NOT NULL: add a primary key\n"},
	} {
		yaml, tables := all(doc.Catalog{RowKeys: c.computes, Tables: []doc.CatalogTable{
			{Name: "a", SQL: "a", Rows: c.rows, Columns: []doc.CatalogColumn{{Name: "t", SQL: "t", Kind: doc.TextColumn}}},
		}}, pagilaAt)
		if got := tables == 1; got != (c.want == "") || !strings.Contains(yaml, c.want) {
			t.Errorf("%+v: got %d tables and\n%s", c, tables, yaml)
		}
	}
}

// A part of which a document would have very many rows is no child, and a document itself.
func TestCrowdedChild(t *testing.T) {
	columns := func(names ...string) (all []doc.CatalogColumn) {
		for _, name := range names {
			kind := doc.TextColumn
			if strings.HasSuffix(name, "id") {
				kind = doc.NumberColumn
			}
			all = append(all, doc.CatalogColumn{Name: name, SQL: name, Kind: kind, Key: true, Indexed: true})
		}
		return all
	}
	id := [][]string{{"id"}}
	for rows, crowded := range map[int64]bool{250: false, 251: true, 0: false} {
		r := Config(doc.Catalog{Tables: []doc.CatalogTable{
			{Name: "topic", SQL: "topic", Rows: 5, Columns: columns("id", "title"), Keys: id, Primary: true},
			{
				Name: "post", SQL: "post", Rows: rows, Columns: columns("id", "topic_id", "body"), Keys: id, Primary: true,
				References: []doc.CatalogReference{{To: "topic", Columns: []string{"topic_id"}, OtherColumns: []string{"id"}, Cascades: true}},
			},
		}}, pagilaAt)
		own := strings.Contains(r.YAML, "r1.title AS \"topic\"\n      FROM post l\n      LEFT JOIN topic r1 ON r1.id = l.topic_id\n")
		if own != crowded || strings.Contains(r.YAML, "      posts:\n        sql: SELECT topic_id, body FROM post\n") == crowded || r.Tables+r.Others != 2 {
			t.Errorf("%d rows: got %d tables, crowded %v, want %v in\n%s", rows, r.Tables, own, crowded, r.YAML)
		}
	}
}
