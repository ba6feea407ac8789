package doc

// A Catalog describes a database's tables, as far as a configuration can be
// generated from it.
type Catalog struct {
	Name        string         // of the database
	Zone        string         // time zone of times without one; empty if unknown
	ForeignZone string         // how the server calls its time zone, if that is no name of Zone's kind
	Greatest    string         // SQL function that returns the later of two updateTimes; empty: none
	RowKeys     bool           // rows of a table without a key can have one that is computed
	Tables      []CatalogTable // by name, without system tables and partitions
	Views       []string
}

// A CatalogTable is a base table.
type CatalogTable struct {
	Schema     string // empty if SQL finds the table without it
	Name       string
	SQL        string // the name as SQL writes it; unique in the catalog
	Unreadable string // why it can't be read; empty: it can
	Remedy     string // what to do where it can't be read
	Rows       int64  // an estimate of their number
	Columns    []CatalogColumn
	Keys       [][]string // unique keys without NULL, the primary key first
	Primary    bool       // Keys[0] is the primary key
	References []CatalogReference
}

// Deny records that the role lacks the privilege to read the table.
func (t *CatalogTable) Deny() {
	t.Unreadable, t.Remedy = "the role has no SELECT privilege", "GRANT SELECT ON "+t.SQL+" to this role"
}

// A CatalogReference is a foreign key: Columns refer to OtherColumns of the table
// whose SQL is To.
type CatalogReference struct {
	To                    string
	Columns, OtherColumns []string
	Cascades              bool // a row is deleted with the one that it refers to
}

// A CatalogColumn is a column of a base table.
type CatalogColumn struct {
	Name       string
	SQL        string // as SQL writes it
	Type       string // in the database's words
	Kind       ColumnKind
	Forms      []CatalogForm // under which it is selected; none: as it is
	Reason     string        // why it is left out, or what Forms are of it; may be empty
	Marked     bool          // of a JSONColumn: its type is a text's
	Unreadable string        // why it can't be read; empty: it can
	Secret     string        // why it is taken for a secret; empty: it is not
	Foreign    string        // the collation that only the application has; empty: none
	Length     int           // greatest length of a text; 0: not limited
	NotNull    bool          // declared NOT NULL
	Key        bool          // it can be part of a key
	Time       bool          // it can be an updateTime
	Indexed    bool          // an index begins with it
	Now        bool          // its default is the time of the insert
	Maintained bool          // a trigger sets it on UPDATE
}

// A CatalogForm is an expression under which a column is selected, since its own type is
// not indexed.
type CatalogForm struct {
	Suffix string // after the column's name, such as _from
	SQL    string // the column is %s
	Kind   ColumnKind
}

// A ColumnKind classifies a column by how it can be indexed.
type ColumnKind int

// The kinds of columns.
const (
	OtherColumn   ColumnKind = iota // bytes, shapes, search vectors: not indexed
	TextColumn                      // words
	WordColumn                      // one of a few values, or an identifier
	NumberColumn                    // an integer or a fraction
	BooleanColumn                   // true or false
	InstantColumn                   // a time with a time zone, or in UTC
	WallColumn                      // a local time, without a time zone
	DateColumn                      // a day
	JSONColumn                      // JSON, or a list of it
)

// A Relation is a base table that an SQL of the configuration reads.
type Relation struct {
	Name   string // as SQL writes it
	Path   string // of the SQL in the table's configuration, such as sql or children.actors
	Origin bool   // the SQL's updateTime is a column of this table
}
