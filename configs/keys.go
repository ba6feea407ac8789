package configs

//go:generate go test -run ^TestSchema$ -update .

// A key is one key of a mapping. The same table tells the reader what to
// accept and the schema what to offer.
type key struct {
	name  string
	need  bool
	do    string // what to write, in the imperative: the end of a fault, and an editor's hint
	value value
}

// Patterns of names. Table names become directories, tier names become keys of
// a properties file, field names stand before a colon in a query.
const (
	tableName  = `^[a-z][a-z0-9_]*$`
	sourceName = `^[A-Za-z][A-Za-z0-9_-]*$`
	tierName   = `^[A-Za-z0-9][A-Za-z0-9._-]*$`
	fieldName  = `^\p{L}[\p{L}\p{N}_]*$`
)

// drivers are the databases that can be read; absentDrivers are those that a
// user may well expect.
func drivers() []string       { return []string{"postgres", "sqlite"} }
func absentDrivers() []string { return []string{"mariadb", "mysql", "oracle", "sqlserver"} }

// fileKeys are the keys of the file itself. Values are stored into c while
// they are read, so an element is complete before the next one is appended.
func fileKeys(c *Config) []key {
	return []key{
		{"data", true, "name the directory that indexerd keeps its files in, such as /var/lib/indexerd", text{&c.Data}},
		{"http", false, "say where the daemon answers", mapping{httpKeys(&c.HTTP)}},
		{"sources", true, "describe each database under a name of its own, with its driver and dsn", named{
			sourceName, "write letters, digits, _ and -, beginning with a letter", true,
			func(name string) value {
				c.Sources = append(c.Sources, Source{Name: name})
				return either{mapping{sourceKeys(&c.Sources[len(c.Sources)-1])}, "dsn", "dsn_file"}
			},
		}},
		{"tables", true, "describe each table under a name of its own, with its source, sql, key, updated and content", named{
			tableName, "write lower-case letters, digits and _, beginning with a letter", true,
			func(name string) value {
				c.Tables = append(c.Tables, Table{Name: name})
				return mapping{tableKeys(&c.Tables[len(c.Tables)-1])}
			},
		}},
	}
}

func httpKeys(h *HTTP) []key {
	return []key{
		{"listen", false, "write host:port (default 127.0.0.1:7700)", text{&h.Listen}},
		{"tokens", false, "", refused{anything{}}},
	}
}

func sourceKeys(s *Source) []key {
	return []key{
		{"driver", true, "write postgres or sqlite", choice{&s.Driver, "driver", drivers(), absentDrivers()}},
		{"dsn", false, "write the database's address, or '${NAME}' to take it from the environment, or name a dsn_file", text{&s.DSN}},
		{"dsn_file", false, "name a file that holds the database's address and that only its owner can read", text{&s.dsnFile}},
	}
}

func tableKeys(t *Table) []key {
	return []key{
		{"source", true, "name one of the sources", text{&t.Source}},
		{"sql", true, "write one SELECT that gives one row for each document", statement{&t.SQL}},
		{"key", true, "name the column that identifies a row, or list several: [tenant, id]", names{&t.Key, true}},
		{"updated", true, "name the column that says when a row last changed", text{&t.Updated}},
		{"timezone", false, "name the zone of an updated column that has none, such as Europe/Berlin", zone{&t.Timezone, &t.Location}},
		{"content", true, "list the columns whose text is searched: {fields: [title]}", mapping{contentKeys(&t.Content)}},
		{"metadata", false, "give each column that is filtered or sorted its type, keyword, number, date or boolean: {rating: keyword}; text belongs to content", named{
			fieldName, "write letters, digits and _, beginning with a letter; the SQL can rename a column with AS", false,
			func(name string) value {
				t.Metadata = append(t.Metadata, Meta{Name: name})
				return choice{&t.Metadata[len(t.Metadata)-1].Type, "type", []string{"keyword", "number", "date", "boolean"}, nil}
			},
		}},
		{"positions", false, "write true, or false for a smaller index without phrase search (default true)", boolean{&t.positions}},
		{"batch", false, "write how many rows are read at once, 1 to 100000 (default 2000)", number{&t.Batch, 1, 100_000}},
		{"workers", false, "write how many workers index at once, 1 to 256 (default: the cores)", number{&t.Workers, 1, 256}},
		{"incremental", false, "say how often changes are looked for: {every: 1s}", mapping{[]key{
			{"every", false, "write a duration such as 1s (default 1s)", duration{to: &t.Incremental.Every}},
		}}},
		{"compensate", false, "say how late rows are found: {horizon: auto}", mapping{compensateKeys(&t.Compensate)}},
		{"deletecheck", false, "say how rows that are gone are found: {every: 1h}", early{mapping{deleteCheckKeys(&t.DeleteCheck)}}},
		{
			"transaction_timeout", false, "write how long a transaction can stay open, such as 10m (default: the last tier's timeout)",
			duration{to: &t.TransactionTimeout},
		},
		{"pages", false, "say how documents are kept as they were read: {versions: 1}", mapping{pagesKeys(&t.Pages)}},
		{"children", false, "describe each child SQL under a name of its own", refused{children()}},
		{"extra", false, "describe each extra SQL under a name of its own", refused{extras()}},
		{"deleted", false, "write {column: active, values: [0]} or {sql: SELECT ...}", refused{either{mapping{deletedKeys()}, "column", "sql"}}},
		{"changes", false, "write a SELECT of the key and of when a row last changed", refused{statement{new(string)}}},
		{"acl", false, "name the metadata field that holds a document's groups", refused{text{new(string)}}},
	}
}

func contentKeys(c *Content) []key {
	return []key{
		{"fields", true, "list the columns whose text is searched: [title, description]", names{&c.Fields, false}},
		{
			"analyzer", false, "write standard, en, cjk or ngram (default standard)",
			choice{&c.Analyzer, "analyzer", []string{"standard", "en", "cjk", "ngram"}, nil},
		},
	}
}

func compensateKeys(c *Compensate) []key {
	return []key{
		{"horizon", false, "write auto, exact or timeout (default auto)", choice{&c.Horizon, "horizon", []string{"auto", "exact", "timeout"}, nil}},
		{"every", false, "write a duration such as 2s (default 2s)", duration{to: &c.Every}},
		{"slack", false, "write a duration such as 1s (default 1s)", duration{to: &c.Slack}},
		{"tiers", false, "list the schedules: [{every: 1m, timeout: 1m}, ...] (default 1m, 3m and 10m settled)", list{
			func() value {
				c.Tiers = append(c.Tiers, Tier{})
				return mapping{tierKeys(&c.Tiers[len(c.Tiers)-1])}
			},
		}},
		{"tree", false, "write how much memory compared stamps may take, such as 64MiB (default 64MiB)", size{&c.Tree}},
	}
}

// tierKeys has every before name: a tier is called by its period as written
// unless a name follows.
func tierKeys(t *Tier) []key {
	return []key{
		{"every", true, "write a duration such as 1m", duration{&t.Every, &t.Name}},
		{"name", false, "write letters, digits, ., _ and - (default: every, as written)", text{&t.Name}},
		{"timeout", true, "write how far back the tier looks, such as 1m", duration{to: &t.Timeout}},
		{"start", false, "write when it first runs after the load, such as 1m (default: every)", duration{to: &t.Start}},
		{"end", false, "write latest, settled, or a duration no longer than the timeout (default latest)", tierEnd{&t.End}},
	}
}

func deleteCheckKeys(d *DeleteCheck) []key {
	return []key{
		{"every", false, "write a duration such as 1h (default 1h)", duration{to: &d.Every}},
		{"max_fraction", false, "write a number above 0, up to 1 (default 0.2)", fraction{&d.MaxFraction}},
		{"max_count", false, "write a whole number from 1 (default 100)", number{&d.MaxCount, 1, 1_000_000_000}},
	}
}

func pagesKeys(p *Pages) []key {
	return []key{
		{"versions", false, "write how many versions of a document are kept, 1 to 1000 (default 1)", number{&p.Versions, 1, 1000}},
		{"compression", false, "write s2, zstd or none (default s2)", choice{&p.Compression, "compression", []string{"s2", "zstd", "none"}, nil}},
	}
}

// What follows is checked for its shape and refused, so nothing keeps what it
// says.

func children() value {
	return named{fieldName, "write letters, digits and _, beginning with a letter", true, func(string) value {
		return mapping{[]key{
			{"sql", true, "write one SELECT that gives the child's rows", statement{new(string)}},
			{"key", true, "name the column, or list those, that hold the parent's key", names{new([]string), true}},
			{"updated", false, "name the column that says when a row last changed", text{new(string)}},
			{"content", false, "list the columns whose text is searched: [name]", names{new([]string), false}},
		}}
	}}
}

func extras() value {
	return named{fieldName, "write letters, digits and _, beginning with a letter", true, func(string) value {
		return mapping{[]key{
			{"sql", true, "write one SELECT that gives the values", statement{new(string)}},
			{"key", true, "name the column, or list those, that hold the row's key", names{new([]string), true}},
			{"updated", false, "name the column that says when a row last changed", text{new(string)}},
			{"type", true, "write keyword, number, date or boolean", choice{new(string), "type", []string{"keyword", "number", "date", "boolean"}, nil}},
		}}
	}}
}

func deletedKeys() []key {
	return []key{
		{"column", false, "name the column that marks a deleted row", text{new(string)}},
		{"values", false, "list the values that mean deleted: [0]", list{func() value { return anything{} }}},
		{"sql", false, "write one SELECT of the keys of deleted rows", statement{new(string)}},
	}
}
