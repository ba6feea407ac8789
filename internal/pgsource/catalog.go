package pgsource

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/doc"
)

// Catalog describes the tables of the database in one snapshot, by five queries
// of the system catalog. It reads no table.
func (s *Source) Catalog(ctx context.Context) (c doc.Catalog, err error) {
	err = s.read(ctx, "", func(x *tx, _ opened) error {
		c, err = x.catalog(ctx)
		return err
	})
	if err != nil {
		return doc.Catalog{}, fmt.Errorf("read the catalog of %s: %w", s.address, err)
	}
	return c, nil
}

func (x *tx) catalog(ctx context.Context) (all doc.Catalog, err error) {
	named, err := queryJSON[struct{ Name, Zone string }](ctx, x, catalogName)
	if err != nil {
		return all, err
	}
	all = doc.Catalog{Name: named[0].Name, Zone: portableZone(named[0].Zone), Greatest: "greatest"}
	columns, err := queryJSON[catalogColumn](ctx, x, catalogColumns)
	if err != nil {
		return all, err
	}
	indexes, err := queryJSON[catalogIndex](ctx, x, catalogIndexes)
	if err != nil {
		return all, err
	}
	references, err := queryJSON[catalogReference](ctx, x, catalogReferences)
	if err != nil {
		return all, err
	}
	views, err := queryJSON[struct{ SQL string }](ctx, x, catalogViews)
	for _, v := range views {
		all.Views = append(all.Views, v.SQL)
	}
	all.Tables = catalogTables(columns, indexes, references)
	return all, err
}

// queryJSON runs a query and decodes its rows as JSON objects with the fields
// of T.
func queryJSON[T any](ctx context.Context, x *tx, sql string) ([]T, error) {
	rows, err := x.all(ctx, query{sql: "SELECT row_to_json(r) FROM (" + sql + ") r"})
	if err != nil {
		return nil, err
	}
	all := make([]T, len(rows))
	for i, row := range rows {
		if err := json.Unmarshal(row[0], &all[i]); err != nil {
			return nil, fmt.Errorf("catalog row: %w", err)
		}
	}
	return all, nil
}

// The row types have the names of the queries in catalogsql.go.
type (
	catalogColumn struct {
		Table                    uint32
		Schema, Relation, SQL    string
		Denied                   bool
		Name, Quoted, Type       string
		Base                     uint32 // the type, or what a domain is made of
		BaseName, Category       string
		Mod                      int32
		NotNull, Now, Maintained bool
	}
	catalogIndex struct {
		Table        uint32
		Columns      []string
		Primary, Key bool
	}
	catalogReference struct {
		Table                 uint32
		To                    string
		Columns, OtherColumns []string
	}
)

// catalogTables groups columns, indexes and references by table. Columns come
// table by table.
func catalogTables(columns []catalogColumn, indexes []catalogIndex, references []catalogReference) []doc.CatalogTable {
	var tables []doc.CatalogTable
	at := map[uint32]int{}
	for _, c := range columns {
		if _, known := at[c.Table]; !known {
			at[c.Table] = len(tables)
			tables = append(tables, doc.CatalogTable{Schema: c.Schema, Name: c.Relation, SQL: c.SQL, Denied: c.Denied})
		}
		t := &tables[at[c.Table]]
		t.Columns = append(t.Columns, c.column())
	}
	for _, i := range indexes {
		if n, known := at[i.Table]; known {
			i.addTo(&tables[n])
		}
	}
	for _, r := range references {
		if n, known := at[r.Table]; known {
			tables[n].References = append(tables[n].References, doc.CatalogReference{To: r.To, Columns: r.Columns, OtherColumns: r.OtherColumns})
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
	read := column{name: c.Name, typ: columnType{oid: c.Base, name: c.BaseName}, mod: c.Mod}
	_, key := newKeyPart(read, 0)
	_, err := newUpdated([]column{read}, updatedConfig{name: c.Name, zone: time.UTC}, "")
	described := doc.CatalogColumn{
		Name: c.Name, SQL: c.Quoted, Type: c.Type, Kind: c.kind(),
		NotNull: c.NotNull, Key: key, Time: err == nil, Now: c.Now, Maintained: c.Maintained,
	}
	if described.Kind == doc.TextColumn && c.Mod > 4 {
		described.Length = int(c.Mod) - 4 // the type modifier includes a header of 4 bytes
	}
	return described
}

// kind uses the type's category if the type may be an extension's or the
// user's.
func (c catalogColumn) kind() doc.ColumnKind {
	switch c.Base {
	case pgtype.TimestamptzOID:
		return doc.InstantColumn
	case pgtype.TimestampOID:
		return doc.WallColumn
	case pgtype.DateOID:
		return doc.DateColumn
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.Float4OID, pgtype.Float8OID, pgtype.NumericOID,
		pgtype.Int2ArrayOID, pgtype.Int4ArrayOID, pgtype.Int8ArrayOID:
		return doc.NumberColumn
	case pgtype.UUIDOID, pgtype.TextArrayOID, pgtype.VarcharArrayOID:
		return doc.WordColumn
	}
	switch c.Category {
	case "S":
		return doc.TextColumn
	case "E":
		return doc.WordColumn
	case "B":
		return doc.BooleanColumn
	}
	return doc.OtherColumn // including money and object identifiers
}

// portableZone returns the name of a zone if it means the same on every
// machine, else "".
func portableZone(name string) string {
	if _, err := time.LoadLocation(name); err != nil || name == "Local" || name == "localtime" {
		return ""
	}
	return name
}
