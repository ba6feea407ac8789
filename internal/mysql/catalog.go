package mysql

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"indexerd/internal/doc"
	"indexerd/internal/sqlsource"
	"indexerd/internal/sqlsource/stdsql"
)

// Catalog implements sqlsource.Cataloger by five queries of information_schema. It
// reads no table.
func (*DB) Catalog(ctx context.Context, s sqlsource.Session) (c doc.Catalog, err error) {
	rows, err := stdsql.Query(ctx, s, `SELECT DATABASE(), t.table_name, t.table_type, CAST(COALESCE(t.table_rows, 0) AS SIGNED) FROM information_schema.tables t WHERE t.table_schema = DATABASE() ORDER BY t.table_name`)
	if err != nil {
		return c, err
	}
	c.Greatest, c.Zone = "greatest", "UTC"
	at := map[string]int{}
	for _, r := range rows {
		c.Name = r.Text(0)
		switch name := r.Text(1); r.Text(2) {
		case "VIEW":
			c.Views = append(c.Views, quote(name))
		case "BASE TABLE":
			at[name] = len(c.Tables)
			c.Tables = append(c.Tables, doc.CatalogTable{Name: name, SQL: quoteName(name), Rows: r.Number(3)})
		}
	}
	for _, look := range []func(context.Context, sqlsource.Session, *doc.Catalog, map[string]int) error{readColumns, readIndexes, readReferences, readTriggers} {
		if err := look(ctx, s, &c, at); err != nil {
			return c, err
		}
	}
	return c, nil
}

// each calls do with the table of each row of a query whose first column names it.
func each(ctx context.Context, s sqlsource.Session, c *doc.Catalog, at map[string]int, sql string, do func(*doc.CatalogTable, stdsql.Row)) error {
	rows, err := stdsql.Query(ctx, s, sql)
	for _, r := range rows {
		if i, ok := at[r.Text(0)]; ok {
			do(&c.Tables[i], r)
		}
	}
	return err
}

func readColumns(ctx context.Context, s sqlsource.Session, c *doc.Catalog, at map[string]int) error {
	return each(ctx, s, c, at, `SELECT table_name, column_name, data_type, column_type, is_nullable = 'NO', CAST(COALESCE(character_maximum_length, 0) AS SIGNED),
		LOWER(COALESCE(column_default, '')), LOWER(extra) FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position`,
		func(t *doc.CatalogTable, r stdsql.Row) {
			if strings.Contains(r.Text(7), "invisible") {
				return // SELECT * leaves it out
			}
			col := doc.CatalogColumn{Name: r.Text(1), SQL: quoteName(r.Text(1)), Type: r.Text(3), NotNull: r.Number(4) == 1,
				Now: strings.HasPrefix(r.Text(6), "current_timestamp"), Maintained: strings.Contains(r.Text(7), "on update current_timestamp")}
			describeType(&col, r.Text(2), r.Text(3))
			if n := r.Number(5); col.Kind == doc.TextColumn && n < longText {
				col.Length = int(n)
			}
			t.Columns = append(t.Columns, col)
		})
}

// longText is the length of the type TEXT, from which a text is not limited.
const longText = 65_535

// describeType sets what a column can be, from its type in information_schema.
func describeType(c *doc.CatalogColumn, name, full string) {
	name = strings.ToUpper(name)
	if strings.HasSuffix(full, "unsigned") {
		name = "UNSIGNED " + name
	}
	scale := int64(0)
	if name == "DECIMAL" && !strings.Contains(full, ",0)") {
		scale = 1
	}
	c.Key = kind(name, scale) != 0 && (name != "BINARY" || full == "binary(16)")
	c.Time = clock(name, 0) != nil || epochs(name) != nil
	switch base := strings.TrimPrefix(name, "UNSIGNED "); { // a result does not show that a TINYINT(1) is a BOOLEAN
	case strings.HasSuffix(base, "INT"), slices.Contains([]string{"DECIMAL", "FLOAT", "DOUBLE", "YEAR"}, base):
		c.Kind = doc.NumberColumn
	case base == "TIMESTAMP":
		c.Kind = doc.InstantColumn
	case base == "DATETIME":
		c.Kind = doc.WallColumn
	case base == "DATE":
		c.Kind = doc.DateColumn
	case slices.Contains([]string{"ENUM", "SET", "UUID", "INET6", "INET4"}, base), full == "binary(16)":
		c.Kind = doc.WordColumn
	case base == "CHAR", base == "VARCHAR", strings.HasSuffix(base, "TEXT"):
		c.Kind = doc.TextColumn
	}
}

// column returns a column of a table, or an empty one.
func column(t *doc.CatalogTable, name string) *doc.CatalogColumn {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return &doc.CatalogColumn{}
}

// readIndexes finds the indexes of whole columns. The primary key comes first.
func readIndexes(ctx context.Context, s sqlsource.Session, c *doc.Catalog, at map[string]int) error {
	return each(ctx, s, c, at, `SELECT table_name, GROUP_CONCAT(column_name ORDER BY seq_in_index SEPARATOR 0x00), index_name = 'PRIMARY', MAX(non_unique) = 0 AND MAX(nullable) = ''
		FROM information_schema.statistics WHERE table_schema = DATABASE() AND index_type = 'BTREE'
		GROUP BY table_name, index_name HAVING COUNT(sub_part) = 0 ORDER BY table_name, index_name <> 'PRIMARY', index_name`,
		func(t *doc.CatalogTable, r stdsql.Row) {
			columns := strings.Split(r.Text(1), "\x00")
			column(t, columns[0]).Indexed = true
			if r.Number(3) == 1 {
				t.Keys = append(t.Keys, columns)
				t.Primary = t.Primary || r.Number(2) == 1
			}
		})
}

func readReferences(ctx context.Context, s sqlsource.Session, c *doc.Catalog, at map[string]int) error {
	return each(ctx, s, c, at, `SELECT table_name, ordinal_position, column_name, referenced_table_name, referenced_column_name FROM information_schema.key_column_usage
		WHERE table_schema = DATABASE() AND referenced_table_schema = DATABASE() ORDER BY table_name, constraint_name, ordinal_position`,
		func(t *doc.CatalogTable, r stdsql.Row) {
			if r.Number(1) == 1 {
				t.References = append(t.References, doc.CatalogReference{To: quoteName(r.Text(3))})
			}
			to := &t.References[len(t.References)-1]
			to.Columns, to.OtherColumns = append(to.Columns, r.Text(2)), append(to.OtherColumns, r.Text(4))
		})
}

// assigned matches the column that a trigger sets.
var assigned = regexp.MustCompile("(?i)\\bnew\\.`?([^`\\s=:]+)`?\\s*:?=")

// readTriggers finds the columns that a trigger sets when a row is updated. It needs
// the privilege TRIGGER.
func readTriggers(ctx context.Context, s sqlsource.Session, c *doc.Catalog, at map[string]int) error {
	return each(ctx, s, c, at, `SELECT event_object_table, action_statement FROM information_schema.triggers
		WHERE event_object_schema = DATABASE() AND event_manipulation = 'UPDATE' AND action_timing = 'BEFORE'`,
		func(t *doc.CatalogTable, r stdsql.Row) {
			for _, m := range assigned.FindAllStringSubmatch(r.Text(1), -1) {
				column(t, m[1]).Maintained = true
			}
		})
}

// plainName matches a name that needs no quotes unless it is a keyword.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// quoteName returns a name as SQL writes it, quoted only if necessary.
func quoteName(name string) string {
	if plainName.MatchString(name) && !strings.Contains(keywords, " "+strings.ToLower(name)+" ") {
		return name
	}
	return quote(name)
}

// keywords are the reserved words of MariaDB and MySQL 8.
const keywords = " " +
	"accessible add all alter analyze and as asc asensitive before between bigint binary blob both by call cascade case change char character check " +
	"collate column condition constraint continue convert create cross cube cume_dist current_date current_role current_time current_timestamp current_user " +
	"cursor database databases day_hour day_microsecond day_minute day_second dec decimal declare default delayed delete dense_rank desc describe deterministic " +
	"distinct distinctrow div do_domain_ids double drop dual each else elseif empty enclosed escaped except exists exit explain false fetch first_value float float4 " +
	"float8 for force foreign from fulltext function general generated get grant group grouping groups having high_priority hour_microsecond hour_minute hour_second if " +
	"ignore ignore_domain_ids ignore_server_ids in index infile inner inout insensitive insert int int1 int2 int3 int4 int8 integer intersect interval into io_after_gtids " +
	"io_before_gtids is iterate join json_table key keys kill lag last_value lateral lead leading leave left like limit linear lines load localtime localtimestamp " +
	"lock long longblob longtext loop low_priority master_bind master_heartbeat_period master_ssl_verify_server_cert match maxvalue mediumblob mediumint mediumtext " +
	"middleint minute_microsecond minute_second mod modifies natural no_write_to_binlog not nth_value ntile null numeric of offset on optimize optimizer_costs option optionally or " +
	"order out outer outfile over page_checksum parse_vcol_expr partition percent_rank precision primary procedure purge range rank read read_write reads real recursive ref_system_id " +
	"references regexp release rename repeat replace require resignal restrict return returning revoke right rlike row row_number rows schema schemas second_microsecond select " +
	"sensitive separator set show signal slow smallint spatial specific sql sql_big_result sql_calc_found_rows sql_small_result sqlexception sqlstate sqlwarning ssl starting " +
	"stats_auto_recalc stats_persistent stats_sample_pages stored straight_join system table terminated then tinyblob tinyint tinytext to trailing trigger true undo union " +
	"unique unlock unsigned update usage use using utc_date utc_time utc_timestamp values varbinary varchar varcharacter varying vector virtual when where while window with write xor " +
	"year_month zerofill "
