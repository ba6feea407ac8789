package doc

// A Catalog is what a database says of its own tables, as far as a
// configuration could be made of it.
type Catalog struct {
	Name     string         // of the database
	Zone     string         // in which times without a zone are written, as far as is known; may be empty
	Greatest string         // the function that returns the later of two updateTimes
	Tables   []CatalogTable // by name, without those of the system and without partitions
	Views    []string
}

// A CatalogTable is a base table.
type CatalogTable struct {
	Schema     string // empty where SQL finds the table without it
	Name       string
	SQL        string // the name as SQL writes it; no two tables have the same
	Denied     bool   // the role may not read it
	Columns    []CatalogColumn
	Keys       [][]string // columns that tell rows apart and are not NULL, the primary key first
	Primary    bool       // Keys[0] is the primary key
	References []CatalogReference
}

// A CatalogReference is a foreign key: Columns hold the OtherColumns of a row
// of the table whose SQL is To.
type CatalogReference struct {
	To                    string
	Columns, OtherColumns []string
}

// A CatalogColumn is a column of a base table.
type CatalogColumn struct {
	Name       string
	SQL        string // as SQL writes it
	Type       string // as the database calls it
	Kind       ColumnKind
	Length     int  // a text's longest; 0: any
	NotNull    bool // it says of itself that it is never NULL
	Key        bool // a key can be made of it
	Time       bool // an updateTime can be made of it
	Indexed    bool // an index begins with it
	Now        bool // its default is the time of the insert
	Maintained bool // a trigger sets it on UPDATE
}

// A ColumnKind says what a column can be for.
type ColumnKind int

// The kinds of columns.
const (
	OtherColumn   ColumnKind = iota // bytes, shapes, search vectors: nothing for a reader
	TextColumn                      // words
	WordColumn                      // one of a few values, or an identifier
	NumberColumn                    // an integer or a fraction
	BooleanColumn                   // yes or no
	InstantColumn                   // a time that needs no zone
	WallColumn                      // a time that means something only with a zone
	DateColumn                      // a day
)
