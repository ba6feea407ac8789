package postgres

import (
	"cmp"
	"context"
	"slices"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
)

// Catalog implements dialect.Cataloger by six queries of the system catalog. It
// reads no table.
func (*DB) Catalog(ctx context.Context, s dialect.Session) (all doc.Catalog, err error) {
	x := s.(*session)
	named, err1 := one[struct{ Name, Zone string }](ctx, x, stored("catalogName"))
	columns, err2 := many[catalogColumn](ctx, x, stored("catalogColumns"))
	indexes, err3 := many[catalogIndex](ctx, x, stored("catalogIndexes"))
	references, err4 := many[catalogReference](ctx, x, stored("catalogReferences"))
	sizes, err5 := many[catalogSize](ctx, x, stored("catalogSizes"))
	views, err6 := many[struct{ SQL string }](ctx, x, stored("catalogViews"))
	if err := cmp.Or(err1, err2, err3, err4, err5, err6); err != nil { // the first one fails those after it
		return all, err
	}
	all = doc.Catalog{Name: named.Name, Zone: portableZone(named.Zone), Greatest: "greatest", Tables: catalogTables(columns, indexes, references, sizes)}
	for _, v := range views {
		all.Views = append(all.Views, v.SQL)
	}
	return all, nil
}

// The row types have the names of their queries.
type (
	catalogColumn struct {
		Table                    uint32
		Schema, Relation, SQL    string
		Denied                   bool
		Name, Quoted, Type       string
		Base                     uint32 // the type, or what a domain is made of
		BaseName, Category       string
		Class                    string // pg_type.typtype
		Element, Subtype         uint32 // of an array, of a range; 0: it is none
		ElementName              string
		ElementCategory          string
		ElementClass             string
		Mod                      int32
		NotNull, Now, Maintained bool
	}
	catalogIndex struct {
		Table        uint32
		Columns      []string
		Primary, Key bool
	}
	catalogSize struct {
		Table uint32
		Rows  int64
	}
	catalogReference struct {
		Table                 uint32
		To                    string
		Columns, OtherColumns []string
		Cascades              bool
	}
)

// catalogTables groups columns, indexes and references by table. Columns come
// table by table.
func catalogTables(columns []catalogColumn, indexes []catalogIndex, references []catalogReference, sizes []catalogSize) []doc.CatalogTable {
	var tables []doc.CatalogTable
	at := map[uint32]int{}
	for _, c := range columns {
		if _, known := at[c.Table]; !known {
			at[c.Table] = len(tables)
			tables = append(tables, doc.CatalogTable{Schema: c.Schema, Name: c.Relation, SQL: c.SQL})
		}
		t := &tables[at[c.Table]]
		if c.Denied {
			t.Deny()
		}
		t.Columns = append(t.Columns, c.column())
	}
	for _, i := range indexes {
		if n, known := at[i.Table]; known {
			i.addTo(&tables[n])
		}
	}
	for _, r := range references {
		if n, known := at[r.Table]; known {
			tables[n].References = append(tables[n].References, doc.CatalogReference{To: r.To, Columns: r.Columns, OtherColumns: r.OtherColumns, Cascades: r.Cascades})
		}
	}
	for _, s := range sizes {
		if n, known := at[s.Table]; known {
			tables[n].Rows = s.Rows
		}
	}
	return tables
}

// addTo adds the index to its table. The primary key comes first.
func (i catalogIndex) addTo(t *doc.CatalogTable) {
	lead := slices.IndexFunc(t.Columns, func(c doc.CatalogColumn) bool { return c.Name == i.Columns[0] })
	t.Columns[lead].Indexed = true
	if i.Key {
		t.Keys = append(t.Keys, i.Columns)
		t.Primary = t.Primary || i.Primary
	}
}

// column describes a column, including whether it can be a key or an
// updateTime.
func (c catalogColumn) column() doc.CatalogColumn {
	typ := columnType{OID: c.Base, Name: c.BaseName, Enum: c.Category == "E", mod: c.Mod}
	described := doc.CatalogColumn{
		Name: c.Name, SQL: c.Quoted, Type: c.Type,
		NotNull: c.NotNull, Key: typ.kind() != 0, Time: typ.clock() != nil || typ.epochs() != nil, Now: c.Now, Maintained: c.Maintained,
	}
	c.setKind(&described)
	if described.Kind == doc.TextColumn && c.Mod > 4 {
		described.Length = int(c.Mod) - 4 // the type modifier includes a header of 4 bytes
	}
	return described
}

// portableZone returns the name of a zone if it means the same on every
// machine, else "".
func portableZone(name string) string {
	if _, err := time.LoadLocation(name); err != nil || name == "Local" || name == "localtime" {
		return ""
	}
	return name
}
