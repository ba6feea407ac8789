package mysql

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// quoted matches texts and names. changing matches what may have another value without
// a commit, where these are left out: a function, a variable, a sequence.
var (
	quoted   = regexp.MustCompile("'(?:[^'\\\\]|\\\\.|'')*'|\"(?:[^\"\\\\]|\\\\.|\"\")*\"|`(?:[^`]|``)*`")
	changing = regexp.MustCompile(`\b(?:now|sysdate|curdate|curtime|rand|random_bytes|uuid|uuid_short|sys_guid|connection_id|user|session_user|system_user|last_insert_id|` +
		`row_count|found_rows|sleep|benchmark|get_lock|release_lock|release_all_locks|is_free_lock|is_used_lock|load_file|nextval|lastval|setval|master_pos_wait|master_gtid_wait|encrypt)\s*\(|` +
		`\b(?:current_date|current_time|current_timestamp|localtime|localtimestamp|utc_date|utc_time|utc_timestamp|current_user|current_role|value\s+for)\b|\bunix_timestamp\s*\(\s*\)|@`)
)

// Footprint implements dialect.Footprinter. The server shows an SQL with constants in
// place of what it can compute, a view that it can't merge as a table, and no table of a
// recursive part, so the SQL's own text is searched, with the definitions of its views. A
// function of a loaded library is not found.
func (*DB) Footprint(ctx context.Context, s dialect.Session, _ dialect.Statement, _ []doc.Kind, all []*dialect.Described) (f doc.Footprint, err error) {
	ids := map[string]bool{}
	for _, of := range all {
		var reads []table
		if reads, f.Reason, err = footprint(ctx, s, of); f.Reason != "" || err != nil {
			return f, err
		}
		for _, t := range reads {
			ids[tableID(t.schema, t.name)] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		f.Tables = append(f.Tables, doc.BaseTable{ID: id, Deletes: true, Updates: true, Inserts: true})
	}
	return f, nil
}

// footprint returns the base tables that an SQL reads, perhaps with others, or why the
// version does not cover what it reads. In MariaDB, which does not show when tables were
// written, it may return fewer.
func footprint(ctx context.Context, s dialect.Session, of *dialect.Described) (reads []table, reason string, err error) {
	e, err := explain(ctx, s, of)
	if fault, ok := errors.AsType[*dialect.Fault](err); ok && fault.Code == "1345" {
		return nil, "the account does not see what a view of the SQL calls: GRANT SHOW VIEW on it", nil
	}
	if errors.Is(err, doc.ErrUnknownPlan) {
		return nil, err.Error(), nil
	}
	if err != nil {
		return nil, "", err
	}
	text, reason, err := withViews(ctx, s, strings.ToLower(of.SQL))
	if reason != "" || err != nil {
		return nil, reason, err
	}
	named, engines, err := namedIn(ctx, s, text)
	if err != nil {
		return nil, "", err
	}
	hidden := len(e.tables) == 0
	for _, t := range e.tables {
		switch engine, err := engineOf(ctx, s, t); {
		case err != nil:
			return nil, "", err
		case engine == "InnoDB":
			reads = append(reads, t)
		case engine == "" && len(named) > 0:
			hidden = true
		default:
			return nil, fmt.Sprintf("the SQL reads %s, which is no table of InnoDB", t.sql()), nil
		}
	}
	for i, t := range named {
		if hidden && engines[i] != "InnoDB" {
			return nil, fmt.Sprintf("the SQL may read %s, which is no table of InnoDB", t.sql()), nil
		}
	}
	reason, err = changingCall(ctx, s, text)
	return append(reads, named...), reason, err
}

// users excludes the schemas of the server itself.
const users = "table_schema NOT IN ('sys', 'mysql', 'information_schema', 'performance_schema')"

// withViews returns an SQL with the definitions of the views whose names it has, or why
// one is not known.
func withViews(ctx context.Context, s dialect.Session, sql string) (text, reason string, err error) {
	names, err := stdsql.Query(ctx, s, "SELECT LOWER(REPLACE(table_name, '`', '``')), table_schema, table_name FROM information_schema.tables WHERE table_type = 'VIEW' AND "+users)
	if err != nil {
		return "", "", err
	}
	for found := true; found; {
		found = false
		for i, view := range names {
			if view == nil || !strings.Contains(sql, view.Text(0)) {
				continue
			}
			names[i], found = nil, true
			rows, err := stdsql.Query(ctx, s, "SELECT view_definition FROM information_schema.views WHERE table_schema = ? AND table_name = ?", view[1], view[2])
			if err != nil {
				return "", "", err
			}
			if len(rows) == 0 || rows[0].Text(0) == "" {
				return "", "the account does not see what view " + view.Text(2) + " calls: GRANT SHOW VIEW on it", nil
			}
			sql += "\n" + strings.ToLower(rows[0].Text(0))
		}
	}
	return sql, "", nil
}

// namedIn returns the base tables whose names a text has, and their engines: of MySQL
// only. A table of another database than the session's is one whose database is named too.
func namedIn(ctx context.Context, s dialect.Session, text string) (named []table, engines []string, err error) {
	rows, err := stdsql.Query(ctx, s, "SELECT LOWER(REPLACE(table_name, '`', '``')), IF(table_schema = DATABASE(), '', LOWER(REPLACE(table_schema, '`', '``'))), table_schema, table_name, engine"+
		" FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND "+users+" /*M! AND FALSE */")
	for _, r := range rows {
		if hasName(text, r.Text(0)) && (r.Text(1) == "" || hasName(text, r.Text(1))) {
			named, engines = append(named, table{schema: r.Text(2), name: r.Text(3)}), append(engines, r.Text(4))
		}
	}
	return named, engines, err
}

// hasName reports whether a text has a name that is no part of a longer word.
func hasName(text, name string) bool {
	inWord := func(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	first, _ := utf8.DecodeRuneInString(name)
	final, _ := utf8.DecodeLastRuneInString(name)
	for {
		before, after, found := strings.Cut(text, name)
		if !found {
			return false
		}
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(after)
		if !(inWord(first) && inWord(last)) && !(inWord(final) && inWord(next)) {
			return true
		}
		_, size := utf8.DecodeRuneInString(name)
		text = text[len(before)+size:]
	}
}

// changingCall returns why the result of an SQL may change without a commit; "": it does
// not.
func changingCall(ctx context.Context, s dialect.Session, sql string) (string, error) {
	bare := quoted.ReplaceAllString(sql, "''")
	if call := changing.FindString(bare); call != "" {
		return "the SQL has " + strings.TrimRight(call, " (") + ", whose value may change without a commit", nil
	}
	functions, err := stdsql.Query(ctx, s, "SELECT LOWER(routine_name) FROM information_schema.routines WHERE routine_type <> 'PROCEDURE'")
	called := strings.Contains(bare, "''.''(")
	for _, r := range functions {
		called = called || regexp.MustCompile(`\b`+regexp.QuoteMeta(r.Text(0))+"[`\"]?\\s*\\(").MatchString(sql)
	}
	if called {
		return "the SQL calls a stored function, whose value may change without a commit", err
	}
	return "", err
}

// engineOf returns the engine of a base table; "" of anything else.
func engineOf(ctx context.Context, s dialect.Session, t table) (string, error) {
	rows, err := stdsql.Query(ctx, s, "SELECT engine FROM information_schema.tables WHERE table_schema = ? AND table_name = ? AND table_type IN ('BASE TABLE', 'SYSTEM VERSIONED')", t.schema, t.name)
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return rows[0].Text(0), nil
}
