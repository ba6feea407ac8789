package mysql

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/changes"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// versionSQL reads the clock and a version of all databases of a server: its identity,
// how far InnoDB has come, and how many statements have begun that replace a view or a
// function. In MariaDB InnoDB has come as far as the next number of a transaction: every
// transaction that writes takes one when it begins to write, and another one when it
// commits. MySQL counts the writes to its redo log: each write of a table that lasts is
// one, and so is each commit, before others see it. Two threads may count as one; then the
// end of the log, which is shown about 10 ms late, moves alone. InnoDB writes a little for
// itself in the seconds after a write. The status needs no privilege. There is no version
// while MySQL's redo log is switched off.
const versionSQL = `SELECT UTC_TIMESTAMP(6), CONCAT(` + identity + `, ' ', (SELECT GROUP_CONCAT(variable_value ORDER BY variable_name SEPARATOR ' ') FROM ` + globalStatus + `
	WHERE variable_name IN ('INNODB_MAX_TRX_ID', /*!80000 'INNODB_LOG_WRITE_REQUESTS', */ 'INNODB_REDO_LOG_CURRENT_LSN', 'INNODB_REDO_LOG_ENABLED',
	'COM_CREATE_VIEW', 'COM_DROP_VIEW', 'COM_RENAME_TABLE', 'COM_DROP_TABLE', 'COM_CREATE_FUNCTION', 'COM_ALTER_FUNCTION', 'COM_DROP_FUNCTION', 'COM_CREATE_PACKAGE_BODY', 'COM_DROP_PACKAGE_BODY')
	HAVING MAX(variable_name IN ('INNODB_MAX_TRX_ID', 'INNODB_REDO_LOG_CURRENT_LSN')) AND NOT MAX(variable_name = 'INNODB_REDO_LOG_ENABLED' AND variable_value = 'OFF')))`

// settled is how long the version has to stand still before it holds. A commit takes
// its number a moment before its rows are visible, and a statement that replaces a view
// is counted a moment before it asks for the lock that all readers of the view wait for.
const settled = time.Second

// A version is the last one that was read. Until it has settled, each reading is a
// separate version.
type version struct {
	mu       sync.Mutex
	last     string
	since    time.Time
	readings int
}

// at returns what stands for a version that was just read, since it was asked for.
func (v *version) at(asked time.Time, read string, settled time.Duration) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if read != v.last {
		v.last, v.since = read, time.Now()
	}
	if asked.Sub(v.since) >= settled {
		return read
	}
	v.readings++
	return fmt.Sprintf("%s moved %d", read, v.readings)
}

// Changes implements changes.Sampler. A rolled-back transaction that wrote moves the
// version too.
func (d *DB) Changes(ctx context.Context, _ func(string) []string) (c changes.Sample, err error) {
	var asked time.Time
	var rows []stdsql.Row
	if err = d.Reading(ctx, func(ctx context.Context, s *stdsql.Session) (err error) {
		asked = time.Now()
		rows, err = stdsql.Query(ctx, s, versionSQL)
		return err
	}, nil); err != nil {
		return c, err
	}
	if c.At, err = dialect.ParseTime(rows[0].Text(0)); err != nil {
		return c, err
	}
	if c.Version = rows[0].Text(1); c.Version == "" {
		c.Reason = "the server shows no version of its data: MariaDB does, and MySQL since 8.0.30, while its redo log is enabled"
		return c, nil
	}
	c.Version = d.version.at(asked, c.Version, d.settled)
	return c, nil
}

// quoted matches texts and names. changing matches what may have another value without
// a commit, where these are left out: a function, a variable, a sequence.
var (
	quoted   = regexp.MustCompile("'(?:[^'\\\\]|\\\\.|'')*'|\"(?:[^\"\\\\]|\\\\.|\"\")*\"|`(?:[^`]|``)*`")
	changing = regexp.MustCompile(`\b(?:now|sysdate|curdate|curtime|rand|random_bytes|uuid|uuid_short|sys_guid|connection_id|user|session_user|system_user|last_insert_id|` +
		`row_count|found_rows|sleep|benchmark|get_lock|release_lock|release_all_locks|is_free_lock|is_used_lock|load_file|nextval|lastval|setval|master_pos_wait|master_gtid_wait|encrypt)\s*\(|` +
		`\b(?:current_date|current_time|current_timestamp|localtime|localtimestamp|utc_date|utc_time|utc_timestamp|current_user|current_role|value\s+for)\b|\bunix_timestamp\s*\(\s*\)|@`)
)

// Footprint implements dialect.Footprinter. The version covers all tables of InnoDB,
// so they are not listed. The server shows an SQL with constants in place of what it can
// compute, so the SQL's own text is searched. A function of a loaded library is not found.
func (*DB) Footprint(ctx context.Context, s dialect.Session, _ dialect.Statement, _ []doc.Kind, all []*dialect.Described) (f doc.Footprint, err error) {
	for _, of := range all {
		e, err := explain(ctx, s, of)
		if fault, ok := errors.AsType[*dialect.Fault](err); ok && fault.Code == "1345" {
			f.Reason = "the account does not see what a view of the SQL calls: GRANT SHOW VIEW on it"
			return f, nil
		}
		if err != nil {
			return f, err
		}
		for _, t := range e.tables {
			if engine, err := engineOf(ctx, s, t); err != nil {
				return f, err
			} else if engine != "InnoDB" {
				f.Reason = fmt.Sprintf("the SQL reads %s, which is no table of InnoDB", t.sql())
				return f, nil
			}
		}
		if f.Reason, err = changingPart(ctx, s, strings.ToLower(of.SQL)); f.Reason != "" || err != nil {
			return f, err
		}
	}
	return f, nil
}

// changingPart returns why the result of an SQL may change without a commit; "": it does
// not. The definitions of the views whose names it has are parts of it.
func changingPart(ctx context.Context, s dialect.Session, sql string) (reason string, err error) {
	names, err := stdsql.Query(ctx, s, `SELECT LOWER(REPLACE(table_name, '`+"`', '``"+`')), table_schema, table_name FROM information_schema.tables
		WHERE table_type = 'VIEW' AND table_schema NOT IN ('sys', 'mysql', 'information_schema', 'performance_schema')`)
	if err != nil {
		return "", err
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
				return "", err
			}
			if len(rows) == 0 || rows[0].Text(0) == "" {
				return "the account does not see what view " + view.Text(2) + " calls: GRANT SHOW VIEW on it", nil
			}
			sql += "\n" + strings.ToLower(rows[0].Text(0))
		}
	}
	return changingCall(ctx, s, sql)
}

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
