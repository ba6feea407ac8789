package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"

	"modernc.org/sqlite"
)

// parseDSN returns the path of a DSN: a plain path, or a file: or sqlite: URI whose
// only parameter may be mode=ro. It rejects other parameters, since the driver runs
// any SQL that _pragma holds.
func parseDSN(dsn string) (path string, err error) {
	path, parameters := dsn, ""
	rest, isURI := strings.CutPrefix(dsn, "file:")
	if !isURI {
		rest, isURI = strings.CutPrefix(dsn, "sqlite:")
	}
	if isURI {
		rest, parameters, _ = strings.Cut(rest, "?")
		rest = strings.TrimPrefix(rest, "//localhost")
		rest = strings.TrimPrefix(rest, "//")
		if path, err = url.PathUnescape(rest); err != nil {
			return "", errors.New("dsn: the path of the URI has a bad %-escape")
		}
	}
	if path == "" || path == ":memory:" || strings.Contains(path, "\x00") {
		return "", errors.New("dsn: name a file: a path, file:PATH or sqlite:PATH")
	}
	if parameters != "" && parameters != "mode=ro" {
		return "", errors.New("dsn: remove the parameters after '?': the file is always opened read-only")
	}
	return path, nil
}

// fileURI returns a path as SQLite's URI, in which '?', '#' and '%' are special.
func fileURI(path, parameters string) string {
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path) + "?" + parameters
}

// readOnly are the parameters of every reading connection. The 2 s wait for a
// writer's lock is well below the time that a shutdown may take.
const readOnly = "mode=ro&_query_only=1&_busy_timeout=2000&_error_rc=1"

// A connector opens reading connections that have the token function, and stand-ins for
// the application's collations.
type connector struct {
	path   string
	driver *sqlite.Driver // without stand-ins
	mu     sync.Mutex
	free   []*standIns
}

func newConnector(path string) (*connector, error) {
	d, err := newDriver()
	return &connector{path: path, driver: d}, err
}

// newDriver returns a driver with the functions of the package. It is a separate value
// because functions registered with the library's driver apply to the whole process.
func newDriver() (*sqlite.Driver, error) {
	d := &sqlite.Driver{}
	for name, function := range map[string]func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error){tokenFunction: token, rowKeyFunction: rowKey} {
		err := d.RegisterFunction(name, &sqlite.FunctionImpl{
			NArgs:         -1,
			Deterministic: true,
			Scalar:        function,
			// Without it the driver cuts text arguments at their first NUL.
			VolatileArgs: true,
		})
		if err != nil {
			return nil, fmt.Errorf("register %s: %w", name, err)
		}
	}
	return d, nil
}

// Connect opens a connection, and again with stand-ins if the schema names collations of
// an application. It checks first that the file exists: SQLite's message for a missing
// file is unclear.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, err := os.Stat(c.path); err != nil {
		return nil, err
	}
	conn, err := c.driver.Open(fileURI(c.path, readOnly))
	if err != nil {
		return nil, err
	}
	names, err := collations(ctx, conn)
	if err == nil && len(names) == 0 {
		return conn, nil
	}
	if err = errors.Join(err, conn.Close()); err != nil {
		return nil, err
	}
	return c.connectWith(names)
}

// Driver implements driver.Connector.
func (c *connector) Driver() driver.Driver { return c.driver }

// OpenWritable opens a database for writing, in WAL mode, and creates a missing
// file. Only the demo and tests use it.
func OpenWritable(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", fileURI(path, "_busy_timeout=5000&_journal_mode=WAL&_synchronous=NORMAL&_error_rc=1"))
	if err != nil {
		return nil, fmt.Errorf("open %s for writing: %w", path, err)
	}
	return db, nil
}
