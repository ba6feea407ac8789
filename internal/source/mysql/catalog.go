package mysql

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// Catalog implements dialect.Cataloger by six queries of information_schema. It
// reads no table.
func (*DB) Catalog(ctx context.Context, s dialect.Session) (doc.Catalog, error) {
	c := stdsql.NewCatalog(s, 1)
	c.Greatest = "greatest"
	for _, r := range c.Rows(ctx, `SELECT IF(@@GLOBAL.time_zone = 'SYSTEM', @@system_time_zone, @@GLOBAL.time_zone)`) {
		c.Zone, c.ForeignZone = zone(r.Text(0))
	}
	for _, r := range c.Rows(ctx, `SELECT DATABASE(), t.table_name, t.table_type, CAST(COALESCE(t.table_rows, 0) AS SIGNED) FROM information_schema.tables t WHERE t.table_schema = DATABASE() ORDER BY t.table_name`) {
		c.Name = r.Text(0)
		switch name := r.Text(1); r.Text(2) {
		case "VIEW":
			c.Views = append(c.Views, quote(name))
		case "BASE TABLE":
			c.Add(r[1:], doc.CatalogTable{Name: name, SQL: quoteName(name), Rows: r.Number(3)})
		}
	}
	c.Each(ctx, `SELECT table_name, column_name, data_type, column_type, is_nullable = 'NO', CAST(COALESCE(character_maximum_length, 0) AS SIGNED),
		LOWER(COALESCE(column_default, '')), LOWER(extra) FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position`, addColumn)
	// An index of an expression, or of the first characters of a column, is none of its columns.
	c.Indexes(ctx, `SELECT table_name, index_name, column_name, index_name = 'PRIMARY', non_unique = 0 FROM (SELECT i.*, SUM(sub_part IS NOT NULL OR column_name IS NULL) OVER (PARTITION BY table_name, index_name) AS partial
		FROM information_schema.statistics i WHERE table_schema = DATABASE() AND index_type = 'BTREE') i WHERE partial = 0 ORDER BY table_name, index_name <> 'PRIMARY', index_name, seq_in_index`)
	// MariaDB shows the rules to those who may do more than SELECT.
	c.References(ctx, `SELECT k.table_name, k.ordinal_position, k.column_name, k.referenced_table_name, k.referenced_column_name, COALESCE(r.delete_rule, '') FROM information_schema.key_column_usage k
		LEFT JOIN information_schema.referential_constraints r ON r.constraint_schema = DATABASE() AND r.table_name = k.table_name AND r.constraint_name = k.constraint_name
		WHERE k.table_schema = DATABASE() AND k.referenced_table_schema = DATABASE() ORDER BY k.table_name, k.constraint_name, k.ordinal_position`, quoteName)
	// In MariaDB JSON is a text with a check.
	c.Each(ctx, "SELECT /*M! table_name, check_clause FROM information_schema.check_constraints WHERE constraint_schema = DATABASE() AND check_clause LIKE 'json_valid(%' */ /*!80000 NULL, NULL */", addCheck)
	// The triggers need the privilege TRIGGER.
	c.Triggers(ctx, `SELECT event_object_table, action_statement FROM information_schema.triggers
		WHERE event_object_schema = DATABASE() AND event_manipulation = 'UPDATE' AND action_timing = 'BEFORE'`, assigned)
	return c.Done()
}

// assigned matches the column that a trigger sets.
var assigned = regexp.MustCompile("(?i)\\bnew\\.`?([^`\\s=:]+)`?\\s*:?=")

// checked matches the column that a check requires to be JSON.
var checked = regexp.MustCompile("(?i)^json_valid\\(`((?:[^`]|``)+)`\\)$")

// addCheck makes a text with a check a column of JSON.
func addCheck(t *doc.CatalogTable, r stdsql.Row) {
	m := checked.FindStringSubmatch(r.Text(0))
	if m == nil {
		return
	}
	if c := stdsql.Column(t, unquote(m[1])); c.Kind == doc.TextColumn {
		c.Kind, c.Marked, c.Length = doc.JSONColumn, true, 0
	}
}

// zone returns the name of the server's time zone for a configuration; or else how the
// server calls it. An abbreviation is none: it may be one of several zones, or of half a year.
func zone(server string) (name, foreign string) {
	switch server {
	case "UTC", "GMT", "Etc/UTC", "+00:00", "-00:00":
		return "UTC", ""
	}
	if _, err := time.LoadLocation(server); err == nil && strings.Contains(server, "/") {
		return server, ""
	}
	return "", server
}

func addColumn(t *doc.CatalogTable, r stdsql.Row) {
	col := doc.CatalogColumn{
		Name: r.Text(0), SQL: quoteName(r.Text(0)), Type: r.Text(2), NotNull: r.Number(3) == 1,
		Now: strings.HasPrefix(r.Text(5), "current_timestamp"), Maintained: strings.Contains(r.Text(6), "on update current_timestamp"),
	}
	describeType(&col, r.Text(1), r.Text(2))
	if strings.Contains(r.Text(6), "invisible") && !col.Maintained { // SELECT * leaves it out, and so does a document, unless it is the key
		col.Kind, col.Type = doc.OtherColumn, col.Type+", invisible"
	}
	if n := r.Number(4); col.Kind == doc.TextColumn && n < longText {
		col.Length = int(n)
	}
	t.Columns = append(t.Columns, col)
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
	c.Key = kind(name, scale) != 0 && name != "POINT"
	c.Time = clock(name, 0) != nil || epochs(name) != nil
	switch base := strings.TrimPrefix(name, "UNSIGNED "); { // a result does not show that a TINYINT(1) is a BOOLEAN
	case base == "POINT":
		c.Reason = "its coordinates"
		c.Forms = []doc.CatalogForm{{Suffix: "_x", SQL: "ST_X(%s)", Kind: doc.NumberColumn}, {Suffix: "_y", SQL: "ST_Y(%s)", Kind: doc.NumberColumn}}
	case full == "bit(1)":
		c.Kind = doc.BooleanColumn
	case strings.HasSuffix(base, "INT"), slices.Contains([]string{"DECIMAL", "FLOAT", "DOUBLE", "YEAR", "BIT"}, base):
		c.Kind = doc.NumberColumn
	case base == "TIMESTAMP":
		c.Kind = doc.InstantColumn
	case base == "DATETIME":
		c.Kind = doc.WallColumn
	case base == "DATE":
		c.Kind = doc.DateColumn
	case slices.Contains([]string{"ENUM", "SET", "UUID", "INET6", "INET4", "TIME"}, base), full == "binary(16)":
		c.Kind = doc.WordColumn
	case base == "CHAR", base == "VARCHAR", strings.HasSuffix(base, "TEXT"):
		c.Kind = doc.TextColumn
	case base == "JSON":
		c.Kind = doc.JSONColumn
	default:
		c.Reason = reason(base)
	}
}

// reason returns why a type is left out.
func reason(base string) string {
	switch {
	case strings.HasSuffix(base, "BLOB"), strings.HasSuffix(base, "BINARY"):
		return "bytes"
	case base == "VECTOR":
		return "a vector, which is compared by distance"
	}
	return "a shape"
}

// quoteName returns a name as SQL writes it, quoted only if necessary.
func quoteName(name string) string {
	if stdsql.IsBare(name, keywords) {
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
