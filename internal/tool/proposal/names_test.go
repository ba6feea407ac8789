package proposal

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	_ "indexerd/internal/test/nofailfile"
)

func TestNamesOfUpdatedColumns(t *testing.T) {
	table := doc.CatalogTable{Name: "film"}
	for name, want := range map[string]bool{
		"updated_at": true, "updatedAt": true, "UPDATED_ON": true, "last_update": true, "last_updated": true, "update_time": true,
		"modified": true, "last_modified": true, "modification_date": true, "date_modified": true, "changed": true, "changed_at": true,
		"mtime": true, "ts_mod": true, "film_updated_at": true, "row_updated": true, "upd_ts": true, "edited_at": true,
		"write_date": true, "post_modified": true, "post_modified_gmt": true, "timemodified": true, "sys_updated_on": true, "SystemModstamp": true, "LastModifiedDate": true, "rowversion": true,
		"created_at": false, "price_updated_at": false, "updater": false, "deleted_at": false, "rental_date": false,
		"moderated_at": false, "model": false, "timestamp": false, "": false,
	} {
		c := doc.CatalogColumn{Name: name, Kind: doc.InstantColumn, Time: true}
		if got := looksUpdated(table, c); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// A number must be named as a time: it could be a count of updates, a mark, or a
// version. A trigger or a default proves that a doubtful one is a time.
func TestNamesOfNumericUpdatedColumns(t *testing.T) {
	for name, want := range map[string]bool{
		"updated_at": true, "update_ts": true, "mtime": true, "last_update": true, "updated_ms": true, "timemodified": true, "SystemModstamp": true,
		"update": false, "changed": false, "mod": false, "edit": false, "rowversion": false, "modified": false, "updated": false,
	} {
		c := doc.CatalogColumn{Name: name, Kind: doc.NumberColumn, Time: true}
		if got := looksUpdated(doc.CatalogTable{Name: "film"}, c); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	for _, proof := range []doc.CatalogColumn{{Now: true}, {Maintained: true}} {
		proof.Name, proof.Kind, proof.Time = "modified", doc.NumberColumn, true
		if !looksUpdated(doc.CatalogTable{}, proof) {
			t.Errorf("got false for a number that a trigger or a default sets: %+v", proof)
		}
	}
	if looksUpdated(doc.CatalogTable{}, doc.CatalogColumn{Name: "updated_at", Kind: doc.TextColumn}) {
		t.Error("got true for a type that can't be updated")
	}
}

func TestBestUpdatedColumnIsChosen(t *testing.T) {
	at := func(name string, kind doc.ColumnKind, change func(*doc.CatalogColumn)) doc.CatalogColumn {
		c := doc.CatalogColumn{Name: name, Kind: kind, Time: true}
		change(&c)
		return c
	}
	as := func(*doc.CatalogColumn) {}
	maintained := at("modified", doc.WallColumn, func(c *doc.CatalogColumn) { c.Maintained = true })
	indexed := at("changed_at", doc.InstantColumn, func(c *doc.CatalogColumn) { c.Indexed = true })
	now := at("updated_at", doc.InstantColumn, func(c *doc.CatalogColumn) { c.Now = true })
	notNull := at("edited_at", doc.InstantColumn, func(c *doc.CatalogColumn) { c.NotNull = true })
	ladder := []doc.CatalogColumn{maintained, indexed, now, notNull, at("touched_at", doc.InstantColumn, as), at("upd_date", doc.WallColumn, as), at("upd_ts", doc.NumberColumn, as), at("date_mod", doc.DateColumn, as)}
	for i := range ladder {
		for j := i + 1; j < len(ladder); j++ {
			u, ok := updateTime(doc.CatalogTable{Columns: []doc.CatalogColumn{ladder[j], ladder[i]}})
			if !ok || u.Name != ladder[i].Name || len(u.others) != 1 || u.others[0] != ladder[j].Name {
				t.Errorf("got %s before %v, want %s before %s", u.Name, u.others, ladder[i].Name, ladder[j].Name)
			}
		}
	}
}

func TestPlural(t *testing.T) {
	for name, want := range map[string]string{
		"actor": "actors", "category": "categories", "day": "days", "address": "addresses", "orders": "orders",
		"box": "boxes", "branch": "branches", "Film": "Films", "CITY": "CITies", "größe": "größes",
	} {
		if got := plural(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestConfigIsValidForAnyNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"null", "true", "on", "${X}", "$$", "a:b", "# x", "a\nb", "content", "lock", "ß", "", "'", `"`, "-- x", "/*", "É1", "\xff"}))
		var c doc.Catalog
		c.Name = name.Draw(t, "database")
		c.Views = rapid.SliceOfN(name, 0, 2).Draw(t, "views")
		for _, table := range rapid.SliceOfNDistinct(name, 1, 4, rapid.ID[string]).Draw(t, "tables") {
			c.Tables = append(c.Tables, anyTable(t, table, name))
		}
		for i := range c.Tables {
			to := rapid.SampledFrom(c.Tables).Draw(t, "to")
			c.Tables[i].References = []doc.CatalogReference{{To: to.SQL, Columns: []string{c.Tables[i].Columns[0].Name}, OtherColumns: to.Keys[0]}}
		}
		yaml, tables := all(c, Source{Driver: "sqlite", DSN: "a $$ \"b\".db", Address: name.Draw(t, "address")})
		if tables == 0 {
			return
		}
		cfg, err := configs.Parse("init", []byte(yaml), os.LookupEnv)
		if err != nil {
			t.Fatalf("%v\n%s", err, yaml)
		}
		if len(cfg.Tables) != tables || cfg.Sources[0].DSN != `a $ "b".db` {
			t.Fatalf("got %d tables and DSN %s, want %d\n%s", len(cfg.Tables), cfg.Sources[0].DSN, tables, yaml)
		}
	})
}

func anyTable(t *rapid.T, name string, names *rapid.Generator[string]) doc.CatalogTable {
	quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	table := doc.CatalogTable{Name: name, SQL: quote(name), Primary: true}
	kinds := rapid.SampledFrom([]doc.ColumnKind{doc.OtherColumn, doc.TextColumn, doc.WordColumn, doc.NumberColumn, doc.BooleanColumn, doc.DateColumn})
	for i, column := range rapid.SliceOfNDistinct(names, 2, 6, rapid.ID[string]).Draw(t, "columns") {
		kind := kinds.Draw(t, "kind")
		if i == 1 {
			kind = doc.TextColumn
		}
		table.Columns = append(table.Columns, doc.CatalogColumn{Name: column, SQL: quote(column), Kind: kind, Key: true})
	}
	table.Columns = append(table.Columns, doc.CatalogColumn{Name: "updated_at", SQL: "updated_at", Kind: doc.WallColumn, Time: true})
	table.Keys = [][]string{{table.Columns[0].Name}}
	return table
}

func TestFoldedBreaksLongLists(t *testing.T) {
	if got := folded(2, nil, strconv.Itoa); got != "" {
		t.Errorf("nothing: got %q", got)
	}
	all := make([]int, 60)
	for i := range all {
		all[i] = i
	}
	lines := strings.Split(folded(2, all, strconv.Itoa), "\n")
	if len(lines) != 3 || strings.Join(strings.Fields(strings.Join(lines, " ")), " ") != list(all, strconv.Itoa) {
		t.Errorf("got %q, want three lines with all of %v", lines, all)
	}
}

// A server's zone that a configuration can't have is shown beside the one that is assumed.
func TestForeignZoneIsShown(t *testing.T) {
	c := doc.Catalog{Name: "shop", ForeignZone: "+05:30", Tables: []doc.CatalogTable{{Name: "a", SQL: "a", Primary: true, Keys: [][]string{{"id"}}, Columns: []doc.CatalogColumn{
		{Name: "id", SQL: "id", Kind: doc.NumberColumn, Key: true, Indexed: true}, {Name: "updated_at", SQL: "updated_at", Kind: doc.WallColumn, Time: true}, {Name: "unseen", SQL: "unseen", Type: "text, invisible", Kind: doc.OtherColumn},
	}}}}
	yaml, _ := all(c, Source{Driver: "mysql"})
	for _, want := range []string{"    timezone: UTC  # the server's, +05:30, is no region's: replace UTC by that of the times, such as Asia/Kolkata\n", "# omitted: unseen (text, invisible)\n"} {
		if !strings.Contains(yaml, want) {
			t.Errorf("got\n%s\nwant %q in it", yaml, want)
		}
	}
}
