package mysql

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// Server implements dialect.Inspector.
func (d *DB) Server(ctx context.Context, s dialect.Session) (server doc.Server, err error) {
	rows, err := stdsql.Query(ctx, s, `SELECT VERSION(), UTC_TIMESTAMP(6), CURRENT_USER(),
		(SELECT COUNT(*) FROM information_schema.user_privileges WHERE privilege_type = 'SUPER' AND `+ofAccount+`),
		(SELECT COUNT(*) FROM information_schema.user_privileges WHERE privilege_type = 'PROCESS' AND `+ofAccount+`)`)
	if err != nil {
		return server, err
	}
	r := rows[0]
	server.Version, server.Advice = "MySQL "+r.Text(0), advice
	sight := "PROCESS, XA_RECOVER_ADMIN"
	if version, ok := strings.CutSuffix(r.Text(0), "-MariaDB"); ok || strings.Contains(r.Text(0), "-MariaDB-") {
		version, _, _ = strings.Cut(version, "-MariaDB-")
		server.Version, sight = "MariaDB "+version, "PROCESS"
	}
	server.Role, server.Superuser, server.SeesTransactions = account(r.Text(2)), r.Number(3) > 0, r.Number(4) > 0
	server.Advice.Sight = "GRANT " + sight + " ON *.* TO " + server.Role
	if server.Now, err = dialect.ParseTime(r.Text(1)); err != nil {
		return server, err
	}
	host, _, _ := net.SplitHostPort(d.conf.Addr)
	server.Remote = stdsql.IsRemote(host)
	if rows, err = stdsql.Query(ctx, s, "SHOW SESSION STATUS LIKE 'Ssl_version'"); err == nil && len(rows) > 0 {
		server.TLS = rows[0].Text(1)
	}
	server.Verified = server.TLS != "" && (d.conf.TLSConfig == "true" || d.conf.TLS != nil && d.conf.TLS.RootCAs != nil)
	return server, err
}

// advice lacks Sight, which names the account.
var advice = doc.Advice{
	Account: "account", Super: "has the privilege SUPER",
	Verify: "add tls=true to the DSN, and ssl-ca=FILE if the authority is not a public one; tls=verify-ca if the certificate lacks the host's name",
	Reader: "CREATE USER indexerd_reader IDENTIFIED BY '...'", Read: "GRANT SELECT ON %s TO indexerd_reader",
	Index: "CREATE INDEX %s ON %s", Analyze: "ANALYZE TABLE %s",
	Limit: "in MariaDB SET GLOBAL idle_write_transaction_timeout = %d, or give the last tier a longer timeout",
}

// account writes user@host as SQL does.
func account(name string) string {
	user, host, _ := strings.Cut(name, "@")
	return "'" + user + "'@'" + host + "'"
}

// ofAccount selects the privileges of the account itself: one that may read the
// system's tables sees those of all.
const ofAccount = `grantee = CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), '''')`

// writing are the privileges of the account that change a table.
const writing = `('INSERT', 'UPDATE', 'DELETE', 'DROP', 'ALTER') AND ` + ofAccount

// Writable implements dialect.Inspector. Privileges that the account has by a role
// do not count.
func (*DB) Writable(ctx context.Context, s dialect.Session, all []*dialect.Described) ([]string, error) {
	names := map[string]bool{}
	for _, of := range all {
		plan, err := explain(ctx, s, of)
		if err != nil {
			return nil, err
		}
		for _, t := range plan.tables {
			rows, err := stdsql.Query(ctx, s, `SELECT (SELECT COUNT(*) FROM information_schema.user_privileges WHERE privilege_type IN `+writing+`)
				+ (SELECT COUNT(*) FROM information_schema.schema_privileges WHERE ? LIKE table_schema AND privilege_type IN `+writing+`)
				+ (SELECT COUNT(*) FROM information_schema.table_privileges WHERE table_schema = ? AND table_name = ? AND privilege_type IN `+writing+`)`, t.schema, t.schema, t.name)
			if err != nil {
				return nil, err
			}
			if rows[0].Number(0) > 0 {
				names[t.sql()] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// Estimate implements dialect.Inspector.
func (*DB) Estimate(ctx context.Context, s dialect.Session, of *dialect.Described) (int64, error) {
	rows, err := stdsql.Query(ctx, s, "EXPLAIN SELECT "+of.Alias+".* "+of.From())
	n := int64(0)
	for _, r := range rows {
		at, known := rowsOf[len(r)]
		if !known {
			return 0, unknownPlan("has %d columns", len(r))
		}
		if r[at] != nil {
			estimate, _ := strconv.ParseInt(fmt.Sprint(r[at]), 10, 64)
			n = max(n, estimate)
		}
	}
	return n, visible(err)
}

// rowsOf is the place of the number of rows in a plan, by its number of columns: those of
// MariaDB and of MySQL.
var rowsOf = map[int]int{10: 8, 12: 9}

// unknownPlan returns a doc.ErrUnknownPlan.
func unknownPlan(what string, args ...any) error {
	return fmt.Errorf("%w: what EXPLAIN returns "+what, append([]any{doc.ErrUnknownPlan}, args...)...)
}

// visible converts the error of an EXPLAIN. A plan that the account may not see, as of a view
// that reads by the rights of its definer, is unknown.
func visible(err error) error {
	if fault, ok := errors.AsType[*dialect.Fault](err); ok && fault.Code == "1345" {
		return fmt.Errorf("%w: %w", doc.ErrUnknownPlan, err)
	}
	return err
}

// A table is a base table, as a plan names it.
type table struct{ schema, name, alias string }

func (t table) sql() string { return quote(t.name) }

// An explained is an SQL as the server has rewritten it: through views and merged
// subqueries.
type explained struct {
	tables  []table
	origins map[string]origin // by the name of the result's column
}

// An origin is the table's column that a column of a result is.
type origin struct {
	table  table
	column string
}

const name = "`((?:[^`]|``)+)`"

var (
	fromTable  = regexp.MustCompile("(?:^|from |join |,|\\()" + name + "\\." + name + "(?: " + name + ")?(?:[ ),]|$)")
	fromColumn = regexp.MustCompile("^" + name + "\\." + name + "\\." + name + " AS " + name + "$")
)

// explain returns what an SQL reads. It does not run it.
func explain(ctx context.Context, s dialect.Session, of *dialect.Described) (e explained, err error) {
	if _, err = stdsql.Query(ctx, s, "EXPLAIN /*M! EXTENDED */ SELECT "+of.Alias+".* "+of.From()); err != nil {
		return e, visible(err)
	}
	notes, err := stdsql.Query(ctx, s, "SHOW WARNINGS")
	if err != nil {
		return e, err
	}
	if len(notes) == 0 || !strings.Contains(notes[len(notes)-1].Text(2), "select ") {
		return e, unknownPlan("is followed by no note with the SQL: set sql_notes and max_error_count to their defaults")
	}
	text := strings.TrimPrefix(notes[len(notes)-1].Text(2), "/* select#1 */ ")
	list, from, _ := strings.Cut(strings.TrimPrefix(text, "select "), " from ")
	byAlias := map[[2]string]table{}
	for _, m := range fromTable.FindAllStringSubmatch(strings.ReplaceAll(from, ") join", " join"), -1) {
		t := table{unquote(m[1]), unquote(m[2]), unquote(m[3])}
		t.alias = cmp.Or(t.alias, t.name)
		e.tables = append(e.tables, t)
		byAlias[[2]string{t.schema, t.alias}] = t
	}
	e.origins = map[string]origin{}
	for column := range strings.SplitSeq(list, ",`") {
		m := fromColumn.FindStringSubmatch("`" + strings.TrimPrefix(column, "`"))
		if m == nil {
			continue
		}
		if t, ok := byAlias[[2]string{unquote(m[1]), unquote(m[2])}]; ok {
			e.origins[unquote(m[4])] = origin{t, unquote(m[3])}
		}
	}
	return e, nil
}

func unquote(name string) string { return strings.ReplaceAll(name, "``", "`") }

// indexed returns the columns of a table that some columns of an SQL are, and of each
// index that begins with them, in any order, whether it is unique and has no others. An
// index of a column's first characters is none of the column.
func indexed(ctx context.Context, s dialect.Session, of *dialect.Described, by []int) (columns []doc.Column, unique []bool, err error) {
	e, err := explain(ctx, s, of)
	if err != nil {
		return nil, nil, err
	}
	columns = make([]doc.Column, len(by))
	first, names := table{}, []any{}
	for i, at := range by {
		o, ok := e.origins[of.Columns[at].Name]
		if !ok || i > 0 && o.table != first {
			return columns, nil, nil
		}
		first, names = o.table, append(names, o.column)
		columns[i] = doc.Column{Table: o.table.sql(), Name: quote(o.column)}
	}
	n := int64(len(by))
	rows, err := stdsql.Query(ctx, s, `SELECT MAX(non_unique) = 0 AND COUNT(*) = ? FROM information_schema.statistics WHERE table_schema = ? AND table_name = ? AND index_type = 'BTREE'
		GROUP BY index_name HAVING SUM(sub_part IS NULL AND seq_in_index <= ? AND column_name IN (?`+strings.Repeat(", ?", len(by)-1)+`)) = ?`,
		slices.Concat([]any{n, first.schema, first.name, n}, names, []any{n})...)
	for _, r := range rows {
		unique = append(unique, r.Number(0) == 1)
	}
	return columns, unique, err
}

// Unique implements dialect.Uniquer. A plan of an unknown form shows no index.
func (*DB) Unique(ctx context.Context, s dialect.Session, of *dialect.Described, key []int) (bool, error) {
	_, unique, err := indexed(ctx, s, of, key)
	if errors.Is(err, doc.ErrUnknownPlan) {
		return false, nil
	}
	return slices.Contains(unique, true), err
}

// Relations implements dialect.Planner.
func (*DB) Relations(ctx context.Context, s dialect.Session, of *dialect.Described, updated int) (relations []doc.Relation, err error) {
	e, err := explain(ctx, s, of)
	names := map[string]bool{}
	for _, t := range e.tables {
		names[t.sql()] = names[t.sql()] || updated >= 0 && e.origins[of.Columns[updated].Name].table == t
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		relations = append(relations, doc.Relation{Name: name, Origin: names[name]})
	}
	return relations, err
}

// Plan implements dialect.Planner. A table is scanned completely by the accesses
// ALL and index.
func (*DB) Plan(ctx context.Context, s dialect.Session, of *dialect.Described, st dialect.Statement, by []int) (p doc.Plan, err error) {
	plan := dialect.Statement{SQL: "EXPLAIN FORMAT=JSON " + st.SQL, Args: st.Args}
	var text string
	if _, err = s.Query(ctx, plan, func(raw []any) bool {
		text = stdsql.Row(raw).Text(0)
		return true
	}); err != nil {
		return p, visible(err)
	}
	var tree map[string]any
	if err := json.Unmarshal([]byte(repaired(text)), &tree); err != nil {
		return p, unknownPlan("is no JSON object: %w", err)
	}
	if tree["query_block"] == nil {
		return p, unknownPlan("has no query_block, but %q", slices.Sorted(maps.Keys(tree)))
	}
	e, err := explain(ctx, s, of)
	if err != nil {
		return p, err
	}
	for _, t := range scans(tree) {
		for _, known := range e.tables {
			if known.alias == t.Table {
				p.FullScans = append(p.FullScans, doc.FullScan{Table: known.sql(), Rows: t.Rows})
			}
		}
	}
	columns, unique, err := indexed(ctx, s, of, by)
	p.By, p.Indexed = columns, len(unique) > 0
	return p, err
}

// repaired returns a plan as valid JSON. MariaDB does not escape the control characters
// in its texts, such as the bounds of a binary key, and writes escapes that JSON lacks.
func repaired(plan string) string {
	var b strings.Builder
	inText := false
	for i := 0; i < len(plan); i++ {
		c := plan[i]
		switch {
		case inText && c == '\\' && i+1 < len(plan):
			if !strings.ContainsRune(`"\/bfnrtu`, rune(plan[i+1])) {
				b.WriteByte('\\')
				break // the backslash is a character
			}
			i++
			b.WriteByte(c)
			c = plan[i]
		case c == '"':
			inText = !inText
		case inText && c < ' ':
			fmt.Fprintf(&b, `\u%04x`, c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// scans returns the tables of a plan that are read completely, by their aliases.
func scans(node any) (found []doc.FullScan) {
	switch node := node.(type) {
	case []any:
		for _, inner := range node {
			found = append(found, scans(inner)...)
		}
	case map[string]any:
		if kind := node["access_type"]; kind == "ALL" || kind == "index" {
			alias, _ := node["table_name"].(string)
			rows, _ := node["rows"].(float64)                      // of MariaDB
			scanned, _ := node["rows_examined_per_scan"].(float64) // of MySQL
			found = append(found, doc.FullScan{Table: alias, Rows: int64(max(rows, scanned))})
		}
		for _, key := range slices.Sorted(maps.Keys(node)) {
			found = append(found, scans(node[key])...)
		}
	}
	return found
}
