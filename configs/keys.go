package configs

//go:generate go test -run ^(TestSchema|TestReference)$ -update .

// A key is one key of a mapping. The same table tells the reader what to
// accept, the schema what to offer, and docs/configuration.md what it means.
type key struct {
	name    string
	need    bool
	do      string // what to write, in the imperative: the end of a fault
	without string // the default, as YAML or in words of several; may be empty
	means   string // a sentence or two for users and their editors
	value   value
}

// hint is what to write, and what stands for it otherwise.
func (k key) hint() string {
	if k.without == "" {
		return k.do
	}
	return k.do + " (default " + k.without + ")"
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
		{
			"data", true, "name the directory that indexerd keeps its files in, such as /var/lib/indexerd", "",
			"The directory of the index, the pages and the marks: one for each configuration.", text{&c.Data},
		},
		{"http", false, "say where the daemon answers, and whom", "", "Where the daemon answers, and whom.", mapping{httpKeys(&c.HTTP)}},
		{"log", false, "say what the daemon writes: {format: text, level: info}", "", "What the daemon writes to its standard error.", mapping{logKeys(&c.Log)}},
		{
			"sources", true, "describe each database under a name of its own, with its driver and dsn", "",
			"The databases, each under a name of your own.",
			named{
				sourceName, "write letters, digits, _ and -, beginning with a letter", true,
				func(name string) value {
					c.Sources = append(c.Sources, Source{Name: name})
					return either{mapping{sourceKeys(&c.Sources[len(c.Sources)-1])}, "dsn", "dsn_file"}
				},
			},
		},
		{
			"tables", true, "describe each table under a name of its own, with its source, sql, key, updated and content", "",
			"What is indexed, each under a name of your own that commands and queries use. A name is also a directory below `data`.",
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
			"`text` is key=value, in colours on a terminal; `json` is one object a line.", choice{&l.Format, "format", []string{"text", "json"}, nil},
		},
		{
			"level", false, "write info, warn or error", "info",
			"What is worth a line: `info` is each pass that did something, `warn` what asks for a person, `error` what failed. A failure that repeats is written at most once a minute, with how often it came.",
			choice{&l.Level, "level", []string{"info", "warn", "error"}, nil},
		},
	}
}

func sourceKeys(s *Source) []key {
	return []key{
		{
			"driver", true, "write postgres or sqlite", "",
			"What kind of database it is.", choice{&s.Driver, "driver", drivers(), absentDrivers()},
		},
		{
			"dsn", false, "write the database's address, or '${NAME}' to take it from the environment, or name a dsn_file", "",
			"Its address: a URL or `host=... dbname=...` for PostgreSQL, a file for SQLite. Required where there is no `dsn_file`.", text{&s.DSN},
		},
		{
			"dsn_file", false, "name a file that holds the database's address and that only its owner can read", "",
			"A file of one line with the address, instead of `dsn`. It must be readable by its owner alone, or lie in systemd's credentials directory.",
			text{&s.dsnFile},
		},
		{"limits", false, "say how much may be asked of the database", "", "How much may be asked of it, by all of its tables together.", mapping{limitKeys(&s.Limits)}},
	}
}
