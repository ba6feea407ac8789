package postgres

import (
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"indexerd/internal/base/doc"
)

// A catalogType is a type as the catalog describes it.
type catalogType struct {
	OID            uint32
	Name, Category string
	Class          string // typtype: b for base types, c for composite ones, e for enums, r and m for ranges
}

// kinds are those of built-in types by their OIDs.
var kinds = map[uint32]doc.ColumnKind{
	pgtype.TimestamptzOID: doc.InstantColumn,
	pgtype.TimestampOID:   doc.WallColumn,
	pgtype.DateOID:        doc.DateColumn,
	pgtype.Int2OID:        doc.NumberColumn,
	pgtype.Int4OID:        doc.NumberColumn,
	pgtype.Int8OID:        doc.NumberColumn,
	pgtype.Float4OID:      doc.NumberColumn,
	pgtype.Float8OID:      doc.NumberColumn,
	pgtype.NumericOID:     doc.NumberColumn,
	pgtype.OIDOID:         doc.NumberColumn,
	pgtype.BoolOID:        doc.BooleanColumn,
	pgtype.JSONOID:        doc.JSONColumn,
	pgtype.JSONBOID:       doc.JSONColumn,
	pgtype.XMLOID:         doc.TextColumn,
	pgtype.UUIDOID:        doc.WordColumn,
	pgtype.InetOID:        doc.WordColumn,
	pgtype.CIDROID:        doc.WordColumn,
	pgtype.MacaddrOID:     doc.WordColumn,
	pgtype.Macaddr8OID:    doc.WordColumn,
	pgtype.TimeOID:        doc.WordColumn,
	pgtype.TimetzOID:      doc.WordColumn,
	pgtype.BitOID:         doc.WordColumn,
	pgtype.VarbitOID:      doc.WordColumn,
	pgtype.QCharOID:       doc.WordColumn,
	pgtype.XID8OID:        doc.WordColumn,
}

// kindsByName are those of types that have no fixed OID, or no name in the library.
var kindsByName = map[string]doc.ColumnKind{
	"hstore": doc.JSONColumn, "ltree": doc.WordColumn, "pg_lsn": doc.WordColumn,
	"ean13": doc.WordColumn, "isbn": doc.WordColumn, "isbn13": doc.WordColumn, "ismn": doc.WordColumn, "ismn13": doc.WordColumn, "issn": doc.WordColumn, "issn13": doc.WordColumn, "upc": doc.WordColumn,
	"regclass": doc.WordColumn, "regtype": doc.WordColumn, "regproc": doc.WordColumn, "regprocedure": doc.WordColumn, "regrole": doc.WordColumn, "regnamespace": doc.WordColumn,
	"regconfig": doc.WordColumn, "regdictionary": doc.WordColumn, "regoper": doc.WordColumn, "regoperator": doc.WordColumn, "regcollation": doc.WordColumn,
}

// reasons are why types are left out, by their names.
var reasons = map[string]string{
	"bytea": "bytes", "tsvector": "a search vector: index the columns that it is made of", "tsquery": "a query", "jsonpath": "a query", "lquery": "a query", "ltxtquery": "a query",
	"box": "a shape", "circle": "a shape", "line": "a shape", "lseg": "a shape", "path": "a shape", "polygon": "a shape", "geometry": "a shape", "geography": "a shape", "cube": "a shape",
	"vector": "a vector, which is compared by distance", "halfvec": "a vector, which is compared by distance", "sparsevec": "a vector, which is compared by distance",
	"tid": "the place of a row, which changes", "txid_snapshot": "a snapshot", "pg_snapshot": "a snapshot",
}

// kind returns the kind of a type's values. The category is that of a type that may be an
// extension's or the user's.
func (t catalogType) kind() doc.ColumnKind {
	if kind, ok := kinds[t.OID]; ok {
		return kind
	}
	if kind, ok := kindsByName[t.Name]; ok {
		return kind
	}
	switch t.Category {
	case "S":
		return doc.TextColumn
	case "E":
		return doc.WordColumn
	case "B":
		return doc.BooleanColumn
	}
	return doc.OtherColumn
}

// setKind sets the kind of a column, the expressions under which it is selected, or the
// reason why it is left out.
func (c catalogColumn) setKind(to *doc.CatalogColumn) {
	of, element := catalogType{c.Base, c.BaseName, c.Category, c.Class}, catalogType{c.Element, c.ElementName, c.ElementCategory, c.ElementClass}
	to.Kind, to.Reason = of.kind(), reasons[c.BaseName]
	switch {
	case c.Base == pgtype.BitOID && c.Mod == 1:
		to.Kind = doc.BooleanColumn
	case of.Class == "r", of.Class == "m":
		if kind := (catalogType{OID: c.Subtype}).kind(); kind != doc.OtherColumn {
			to.Forms = []doc.CatalogForm{{Suffix: "_from", SQL: "lower(%s)", Kind: kind}, {Suffix: "_to", SQL: "upper(%s)", Kind: kind}}
			to.Reason = "its bounds"
		}
	case of.Class == "c", element.Class == "c":
		to.Forms = []doc.CatalogForm{{SQL: "to_jsonb(%s)", Kind: doc.JSONColumn}}
		to.Reason = "as JSON"
	case strings.HasPrefix(c.Type, "geometry(Point"), strings.HasPrefix(c.Type, "geography(Point"):
		to.Forms = []doc.CatalogForm{{Suffix: "_lat", SQL: "ST_Y(%s::geometry)", Kind: doc.NumberColumn}, {Suffix: "_lon", SQL: "ST_X(%s::geometry)", Kind: doc.NumberColumn}}
		to.Reason = "its coordinates"
	case c.BaseName == "point":
		to.Forms = []doc.CatalogForm{{Suffix: "_x", SQL: "(%s)[0]", Kind: doc.NumberColumn}, {Suffix: "_y", SQL: "(%s)[1]", Kind: doc.NumberColumn}}
		to.Reason = "its coordinates"
	case c.BaseName == "money":
		to.Forms, to.Reason = []doc.CatalogForm{{SQL: "%s::numeric", Kind: doc.NumberColumn}}, "as a number"
	case c.ElementName == "money":
		to.Forms, to.Reason = []doc.CatalogForm{{SQL: "%s::numeric[]", Kind: doc.NumberColumn}}, "as numbers"
	case c.BaseName == "interval":
		to.Forms, to.Reason = []doc.CatalogForm{{SQL: "extract(epoch FROM %s)", Kind: doc.NumberColumn}}, "in seconds"
	case c.Element != 0:
		if to.Kind, to.Reason = element.kind(), reasons[c.ElementName]; to.Kind == doc.TextColumn {
			to.Kind = doc.WordColumn
		}
	}
}
