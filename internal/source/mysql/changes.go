package mysql

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"indexerd/internal/source/changes"
	"indexerd/internal/source/dialect"
	"indexerd/internal/source/stdsql"
)

// versionSQL reads the clock, the identity of the server, how far all its databases have
// come, and whether it shows which tables were written. The status needs no privilege.
//
// In MariaDB InnoDB has come as far as the next number of a transaction: every transaction
// that writes takes one when it begins to write, and another one when it commits. The
// number of statements that have begun to replace a view or a function is a part too.
//
// In MySQL it is the number of writes to the redo log, and, since 8.0.30, where the log
// ends (its LSN). Each write of a table that lasts is logged, and so is each commit, before
// others see it. The LSN alone would not do: a thread of the server copies it to the status
// every 10 ms. The number is read when it is asked for, but two writes that are counted in
// the same nanosecond may count as one. InnoDB logs a little for itself in the seconds
// after a write. There is no version while the log is switched off.
const versionSQL = `SELECT UTC_TIMESTAMP(6), ` + identity + `, (SELECT GROUP_CONCAT(variable_value ORDER BY variable_name SEPARATOR ' ') FROM ` + globalStatus + `
	WHERE variable_name IN (/*!80000 'INNODB_LOG_WRITE_REQUESTS', 'INNODB_REDO_LOG_CURRENT_LSN', 'INNODB_REDO_LOG_ENABLED' */ /*M! 'INNODB_MAX_TRX_ID', 'COM_CREATE_VIEW', 'COM_DROP_VIEW', 'COM_RENAME_TABLE', 'COM_DROP_TABLE',
	'COM_CREATE_FUNCTION', 'COM_ALTER_FUNCTION', 'COM_DROP_FUNCTION', 'COM_CREATE_PACKAGE_BODY', 'COM_DROP_PACKAGE_BODY' */) HAVING MAX(variable_name IN ('INNODB_MAX_TRX_ID', 'INNODB_REDO_LOG_CURRENT_LSN'))),
	/*M! 0 */ /*!80000 1 */`

// settled is how long a version has to stand still before it holds. A commit takes its
// number, or is logged, a moment before its rows are visible, and a statement that
// replaces a view is counted a moment before it asks for the lock that all readers of the
// view wait for.
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
func (d *DB) Changes(ctx context.Context, tables func(string) []string) (c changes.Sample, err error) {
	err = d.Reading(ctx, func(ctx context.Context, s *stdsql.Session) error {
		asked := time.Now()
		rows, err := stdsql.Query(ctx, s, versionSQL)
		if err != nil {
			return err
		}
		server, read := rows[0].Text(1), rows[0].Text(2)
		if c.At, err = dialect.ParseTime(rows[0].Text(0)); err != nil {
			return err
		}
		switch {
		case read == "":
			c.Reason = "the server shows no version of its data: MariaDB does, and MySQL since 8.0.30"
			return nil
		case strings.HasSuffix(read, " OFF"):
			c.Reason = "the server's redo log is switched off, and nothing else shows every commit: ALTER INSTANCE ENABLE INNODB REDO_LOG"
			return nil
		}
		c.Version = d.version.at(asked, server+" "+read, d.settled)
		if rows[0].Number(3) == 0 {
			return nil
		}
		return d.writes.read(ctx, s, server, &c, tables, d.settled)
	}, nil)
	return c, err
}
