package configs

//go:generate go test -run ^(TestSchema|TestReference)$ -update .

// A key is one key of a mapping. The reader, schema.json and
// docs/configuration.md all use it.
type key struct {
	name    string
	need    bool
	do      string // what to write, in the imperative: the end of a fault
	without string // the default, as YAML or in several words; may be empty
	means   string // the description in schema.json and docs/configuration.md
	value   value
}

// hint returns what to write, and the default if there is one.
func (k key) hint() string {
	if k.without == "" {
		return k.do
	}
	return k.do + " (default " + k.without + ")"
}

// Patterns of names. A table name is also a directory, a tier name a key of a
// properties file, and a field name stands before a colon in a query.
const (
	tableName  = `^[a-z][a-z0-9_]*$`
	sourceName = `^[A-Za-z][A-Za-z0-9_-]*$`
	tierName   = `^[A-Za-z0-9][A-Za-z0-9._-]*$`
	fieldName  = `^\p{L}[\p{L}\p{N}_]*$`
)

// drivers are the supported databases. absentDrivers have a separate message,
// since users may expect them.
func drivers() []string       { return []string{"postgres", "mysql", "oracle", "sqlserver", "sqlite"} }
func absentDrivers() []string { return []string{"mariadb"} }

// fileKeys are the keys of the file itself. Values are stored into c while
// they are read, so an element is complete before the next one is appended.
func fileKeys(c *Config) []key {
	return []key{
		{
			"data", true, "name a directory for indexerd's files, such as /var/lib/indexerd", "",
			"The directory of index, pages and marks, unless they are on other machines. Each configuration needs a separate one.", text{&c.Data},
		},
		{"http", false, "write the address: {listen: 127.0.0.1:7700}", "", "The HTTP server: dashboard and API.", mapping{httpKeys(&c.HTTP)}},
		{
			"opensearch_api", false, "write the address: {listen: 127.0.0.1:9200}", "",
			"A read-only part of the OpenSearch search API. It is off by default.",
			mapping{[]key{{
				"listen", true, "write host:port such as 127.0.0.1:9200", "",
				"The address of the OpenSearch API, on another port than `http`, with the tokens and the certificate of `http`.", text{&c.OpenSearch},
			}}},
		},
		{"index", false, "write {engine: opensearch, url: [\"https://search-1:9200\"]}, or leave it out", "", "Where the indexes are.", mapping{indexKeys(&c.Index)}},
		{"pages", false, "write {engine: hbase, rest: [\"http://hbase-1:8080\"], table: indexerd_pages}, or leave it out", "", "Where the pages are.", mapping{pageStoreKeys(&c.PageStore)}},
		{"bloom", false, "write {engine: redis, url: redis://redis-1:6379/0}, or leave it out", "", "The filter that saves look-ups of pages in Bigtable or HBase.", mapping{bloomKeys(&c.Bloom)}},
		{"marks", false, "write {engine: etcd, endpoints: [\"https://etcd-1:2379\"], prefix: /indexerd/shop}, or leave it out", "", "Where marks and quarantine are.", mapping{marksKeys(&c.Marks)}},
		{"log", false, "write the format and the level: {format: text, level: info}", "", "The log, written to standard error.", mapping{logKeys(&c.Log)}},
		{
			"sources", true, "give each database a name, with driver and dsn", "",
			"The databases, each under a name.",
			named{
				sourceName, "write letters, digits, _ and -, beginning with a letter", true,
				func(name string) value {
					c.Sources = append(c.Sources, Source{Name: name})
					return either{mapping{sourceKeys(&c.Sources[len(c.Sources)-1])}, "dsn", "dsn_file"}
				},
			},
		},
		{
			"tables", true, "give each table a name, with source, sql, key, updated and content", "",
			"The tables that are indexed, each under a name for commands and the API.",
			named{
				tableName, "write lower-case letters, digits and _, beginning with a letter", true,
				func(name string) value {
					c.Tables = append(c.Tables, Table{Name: name})
					return mapping{tableKeys(&c.Tables[len(c.Tables)-1])}
				},
			},
		},
	}
}

func logKeys(l *Log) []key {
	return []key{
		{
			"format", false, "write text or json", "text",
			"`text` is key=value, in colour on a terminal. `json` is one object a line.", choice{&l.Format, "format", []string{"text", "json"}, nil},
		},
		{
			"level", false, "write info, warn or error", "info",
			"The lowest level that is logged: passes that changed something, conditions to look at, failures.",
			choice{&l.Level, "level", []string{"info", "warn", "error"}, nil},
		},
	}
}

func sourceKeys(s *Source) []key {
	return []key{
		{
			"driver", true, "write postgres, mysql (also for MariaDB), oracle, sqlserver or sqlite", "",
			"The kind of database.", choice{&s.Driver, "driver", drivers(), absentDrivers()},
		},
		{
			"dsn", false, "write the database's address, or '${NAME}' to take it from the environment, or name a dsn_file", "",
			"The address: a URL or `host=... dbname=...` for PostgreSQL, `mysql://user@host:port/database` for MySQL and MariaDB, `oracle://user@host:port/service`, `sqlserver://user@host:port?database=name`, a file or `sqlite:PATH` for SQLite, or what another tool calls it, such as `postgresql+psycopg2://`, `jdbc:mysql://` or `Server=...;Database=...`. Required without `dsn_file`.", text{&s.DSN},
		},
		{
			"dsn_file", false, "name a file that holds the database's address and that only its owner can read", "",
			"A file of one line with the address, readable by its owner only, or a systemd credential. Instead of `dsn`.",
			text{&s.dsnFile},
		},
		{"limits", false, "write limits such as {connections: 5}", "", "Limits of the load on the database, for all its tables together.", mapping{limitKeys(&s.Limits)}},
	}
}
