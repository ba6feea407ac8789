package sqlserver

import (
	"reflect"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/pace"
	"indexerd/internal/source"
	"indexerd/internal/test/fakedriver"
)

// TestCatalog: the tables that init sees, from what the catalog answers.
func TestCatalog(t *testing.T) {
	t.Parallel()
	const film = "[dbo].[film]"
	d, _ := openFake(t, allowed, first,
		fakedriver.Values("FROM sys.objects t", values{"shop", film, "film", "dbo", int64(0), int64(1), int64(1000), "dbo"}, values{"shop", "[crm].[films]", "films", "crm", int64(1), int64(1), nil, "dbo"},
			values{"shop", "[crm].[secret]", "secret", "crm", int64(0), int64(0), int64(5), "dbo"}),
		fakedriver.Values("JOIN sys.columns c ON c.object_id = t.object_id LEFT JOIN",
			values{film, "id", "int", int64(4), int64(10), int64(0), int64(1), "", int64(0)},
			values{film, "title", "nvarchar", int64(200), int64(0), int64(0), int64(1), "", int64(0)},
			values{film, "notes", "nvarchar", int64(-1), int64(0), int64(0), int64(0), "", int64(0)},
			values{film, "changed", "datetime2", int64(8), int64(27), int64(7), int64(1), "(sysutcdatetime())", int64(0)},
			values{film, "price", "decimal", int64(9), int64(10), int64(2), int64(0), "", int64(0)},
			values{film, "data]", "nvarchar", int64(-1), int64(0), int64(0), int64(0), "", int64(0)},
			values{film, "own", "json", int64(-1), int64(0), int64(0), int64(0), "", int64(0)},
			values{film, "at", "time", int64(5), int64(0), int64(0), int64(0), "", int64(0)},
			values{film, "node", "hierarchyid", int64(892), int64(0), int64(0), int64(0), "", int64(0)},
			values{film, "spot", "geography", int64(-1), int64(0), int64(0), int64(0), "", int64(0)},
			values{film, "any", "sql_variant", int64(8016), int64(0), int64(0), int64(0), "", int64(0)},
			values{film, "photo", "varbinary", int64(-1), int64(0), int64(0), int64(0), "", int64(0)}),
		fakedriver.Values("JOIN sys.check_constraints k", values{film, "(isjson([data]]])=(1))"}, values{film, "(isjson(coalesce([own],''))>(0))"}),
		fakedriver.Values("FROM sys.tables t JOIN sys.indexes i",
			values{film, "1", "id", int64(1), int64(1)}, values{film, "2", "changed", int64(0), int64(0)}, values{film, "4", "notes", int64(0), int64(1)}, values{film, "3", "title", int64(0), int64(1)}, values{film, "3", "id", int64(0), int64(1)}),
		fakedriver.Values("sys.foreign_key_columns k", values{film, int64(1), "id", "[crm].[secret]", "id", "CASCADE"}, values{film, int64(2), "title", "[crm].[secret]", "name", "CASCADE"}),
		fakedriver.Values("JOIN sys.triggers g", values{film, "CREATE TRIGGER t ON film AFTER UPDATE AS UPDATE f SET [Changed] = SYSUTCDATETIME() FROM film f"}),
		fakedriver.Values("FROM [dbo].[film] ORDER BY (SELECT NULL)", values{int64(1), "ACADEMY DINOSAUR", nil, nil, nil, nil, nil, nil, nil, nil, nil, nil}))
	got, err := source.New(d, pace.Limits{}).Catalog(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := doc.Catalog{
		Name: "shop", Zone: "UTC", RowKeys: true, Views: []string{"[crm].[films]"},
		Tables: []doc.CatalogTable{
			{
				Name: "film", SQL: film, Rows: 1000, Primary: true, Keys: [][]string{{"id"}, {"title", "id"}},
				References: []doc.CatalogReference{{To: "[crm].[secret]", Columns: []string{"id", "title"}, OtherColumns: []string{"id", "name"}, Cascades: true}},
				Columns: []doc.CatalogColumn{
					{Name: "id", SQL: "[id]", Type: "int", Kind: doc.NumberColumn, NotNull: true, Key: true, Time: true, Indexed: true},
					{Name: "title", SQL: "[title]", Type: "nvarchar", Kind: doc.TextColumn, Length: 100, NotNull: true, Key: true, Indexed: true},
					{Name: "notes", SQL: "[notes]", Type: "nvarchar", Kind: doc.TextColumn, Key: true, Indexed: true},
					{Name: "changed", SQL: "[changed]", Type: "datetime2", Kind: doc.WallColumn, NotNull: true, Time: true, Indexed: true, Now: true, Maintained: true},
					{Name: "price", SQL: "[price]", Type: "decimal", Kind: doc.NumberColumn, Key: true, Time: true},
					{Name: "data]", SQL: "[data]]]", Type: "nvarchar", Kind: doc.JSONColumn, Marked: true, Key: true},
					{Name: "own", SQL: "[own]", Type: "json", Kind: doc.JSONColumn},
					{Name: "at", SQL: "[at]", Type: "time", Kind: doc.WordColumn},
					{Name: "node", SQL: "[node]", Type: "hierarchyid", Reason: "as text", Forms: []doc.CatalogForm{{SQL: "%s.ToString()", Kind: doc.WordColumn}}},
					{Name: "spot", SQL: "[spot]", Type: "geography", Reason: "the coordinates of points", Forms: []doc.CatalogForm{{Suffix: "_lat", SQL: "%s.Lat", Kind: doc.NumberColumn}, {Suffix: "_lon", SQL: "%s.Long", Kind: doc.NumberColumn}}},
					{Name: "any", SQL: "[any]", Type: "sql_variant", Reason: "values of several types: CAST it in the SQL"},
					{Name: "photo", SQL: "[photo]", Type: "varbinary", Reason: "bytes"},
				},
			},
			{Schema: "crm", Name: "secret", SQL: "[crm].[secret]", Unreadable: "the role has no SELECT privilege", Remedy: "GRANT SELECT ON [crm].[secret] to this role", Rows: 5},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v, want\n%+v", got, want)
	}
}

// TestServerFacts: what check shows of the server, with the statement that allows
// snapshots.
func TestServerFacts(t *testing.T) {
	t.Parallel()
	d, _ := openFake(t, fakedriver.Values("'ProductVersion'", values{"15.0.4", "Developer Edition", "2024-03-01 10:00:00.000001", "indexer", int64(0), int64(0), int64(1), int64(0), "[shop]"}), allowed, first)
	got, err := source.New(d, pace.Limits{}).Server(t.Context())
	if err != nil || got.Version != "SQL Server 15.0.4, Developer Edition" || got.Role != "[indexer]" || got.Superuser || got.SeesTransactions || got.Advice.Sight != "GRANT VIEW DATABASE STATE TO [indexer]" ||
		got.Mixed != "ALTER DATABASE [shop] SET ALLOW_SNAPSHOT_ISOLATION ON" || got.Remote || got.TLS == "" || got.Verified {
		t.Errorf("got %+v, %v", got, err)
	}
}
