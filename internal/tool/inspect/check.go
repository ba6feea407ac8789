package inspect

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/timeunit"
	"indexerd/internal/index/fulltext/schema"
)

// TableWithin is the time limit for the check of a table or a server, and
// queryWithin for a query that may read a whole table. A check must not burden
// a database in production.
const (
	TableWithin = 15 * time.Second
	queryWithin = 3 * time.Second
)

// Rows is a configured table in a database.
type Rows interface {
	Kinds() []doc.Kind
	Tick() time.Duration
	Count(context.Context) (int64, error)
	Estimate(context.Context) (int64, error)
	Docs(context.Context, []doc.OID) iter.Seq2[doc.Batch, error]
	StampsInRange(context.Context, doc.Range) iter.Seq2[[]doc.Stamp, error]
	TokenSums(ctx context.Context, bounds []doc.OID) ([]doc.Sum, error)
	Relations(context.Context) ([]doc.Relation, error)
	Writable(context.Context) ([]string, error)
	Plans(context.Context, doc.Window, []doc.OID) ([]doc.Plan, error)

	Sample(ctx context.Context, n int) ([]doc.OID, error)
	Duplicate(context.Context) (doc.OID, error)
	WithoutUpdated(ctx context.Context, most int) (int, error)
	UpdatedIn(ctx context.Context, w doc.Window, most int) (int, error)
	Constant(context.Context) (bool, error)
	Units() map[string]timeunit.Unit
	OutOfRange(context.Context) (int64, error)
	Wall() *time.Location
	Shown(context.Context, []time.Time) ([]time.Time, error)
	ShownIn(ctx context.Context, figures doc.Window, most int) (int, error)
	Now(context.Context) (time.Time, error)
	Maintained(context.Context) (bool, error)
}

// A Server is a database server.
type Server interface {
	Address() string
	Server(context.Context) (doc.Server, error)
}

// A Horizon returns a database's horizon.
type Horizon interface {
	Horizon(context.Context) (doc.Horizon, error)
}

// Hints reads what the database shows of changes of a table.
type Hints interface {
	Hint(context.Context) (doc.Hint, error)
}

// A Check collects the findings of a configuration and its databases.
type Check struct {
	cfg      *configs.Config
	found    Findings
	servers  map[string]doc.Server // by source
	writable map[string][]string   // tables that the role can write, by source
}

// NewCheck returns a Check with the findings that need no database.
func NewCheck(cfg *configs.Config) *Check {
	c := &Check{cfg: cfg, found: Findings{Findings: []Finding{}}, servers: map[string]doc.Server{}, writable: map[string][]string{}}
	c.disk(freeBytes)
	c.access()
	return c
}

// leastFree is the number of free bytes below which disk_space is reported.
const leastFree = 1 << 30

// disk checks the data directory, or the nearest existing directory above it.
func (c *Check) disk(free func(dir string) (uint64, bool)) {
	dir := filepath.Clean(c.cfg.Data)
	info, err := os.Stat(dir)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		c.add(dataRights, "data", fmt.Sprintf("%s has mode %04o: users other than its owner can read the indexed rows", dir, info.Mode().Perm()), "chmod 700 "+dir)
	}
	for ; err != nil && dir != filepath.Dir(dir); _, err = os.Stat(dir) {
		dir = filepath.Dir(dir)
	}
	if left, ok := free(dir); ok && left < leastFree {
		c.add(diskSpace, "data", fmt.Sprintf("the file system of %s has %d MiB free", c.cfg.Data, left>>20), "free some space, or use another directory")
	}
}

// freeBytes returns the space that is available to users other than root.
func freeBytes(dir string) (uint64, bool) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return 0, false
	}
	return fs.Bavail * uint64(fs.Bsize), true
}

// access reports an acl without tokens, and what a proxy that ends TLS means.
func (c *Check) access() {
	if c.cfg.HTTP.TLS.EndedByProxy {
		c.add(tlsByProxy, "http.tls.ended_by_proxy", "everyone on the network between the proxy and "+c.cfg.HTTP.Listen+" can read tokens and documents", "let only the proxy reach this address, over a network that you trust")
		if len(c.cfg.HTTP.TrustedProxies) == 0 {
			c.add(tlsByProxy, "http.tls.ended_by_proxy", "limits count the proxy as one client, as its address is not in trusted_proxies", "list it in http.trusted_proxies")
		}
	}
	for _, t := range c.cfg.Tables {
		if t.ACL != "" && len(c.cfg.HTTP.Tokens) == 0 {
			c.add(aclOpen, "tables."+t.Name+".acl", "acl has no effect: without tokens, every user of this machine finds every document", "add http.tokens, each with its groups")
		}
	}
}

// Findings ends the check and returns its findings.
func (c *Check) Findings() Findings {
	for _, s := range c.cfg.Sources {
		c.canWrite(s.Name)
	}
	return c.found
}

// add adds a finding for a key of the configuration.
func (c *Check) add(k code, path, what, do string) {
	c.found.add(k, c.cfg.Fault(path, what, do))
}

// BadDSN reports that the address of a source is not valid.
func (c *Check) BadDSN(source string, err error) {
	c.add(badDSN, "sources."+source+".dsn", oneLine(err), "correct the address")
}

// Denied reports that the role lacks a privilege on a table, which grant names
// as GRANT does.
func (c *Check) Denied(t configs.Table, field, what, grant string) {
	role := c.servers[t.Source].Role
	c.add(selectDenied, "tables."+t.Name+"."+field, what, fmt.Sprintf("GRANT %s TO %s", grant, role))
}

// Failed reports the error that ended the check of a table.
func (c *Check) Failed(t configs.Table, err error) {
	var many configs.Faults
	var one configs.Fault
	switch {
	case errors.As(err, &many):
	case errors.As(err, &one):
		many = configs.Faults{one}
	case errors.Is(err, doc.ErrForeign):
		c.add(queryFailed, "tables."+t.Name+".sql", oneLine(err), "start that server, or correct its address in the database; the other tables do not wait for it")
	case errors.Is(err, doc.ErrLocked):
		c.add(queryFailed, "tables."+t.Name+".sql", oneLine(err), "wait until the other session ends its transaction; the other tables do not wait for it")
	case errors.Is(err, doc.ErrUnavailable):
		what, do := doc.WhatToDo(err, "start the database, or correct address and login")
		c.add(unreachable, "sources."+t.Source, strings.Join(strings.Fields(what), " "), do)
	default:
		c.add(queryFailed, "tables."+t.Name+".sql", oneLine(err), "run the SQL yourself to see why")
	}
	for _, fault := range many {
		c.found.add(configFault, fault)
	}
}

// A Table is what Check.Table needs of a table.
type Table struct {
	Conf    configs.Table
	Rows    Rows
	Mapping schema.Mapping
	Horizon Horizon // nil if the database has none
	Hints   Hints   // nil if the database shows no changes
}

// Table checks a table whose SQLs have been prepared.
func (c *Check) Table(ctx context.Context, t Table) {
	tc := &tableCheck{Check: c, Table: t, ctx: ctx, path: "tables." + t.Conf.Name}
	phases := []func() error{tc.changes, tc.rights, tc.sample, tc.plans, tc.size, tc.silent, tc.keys, tc.times, tc.zone, tc.volatile, tc.unindexable, tc.settled}
	if t.Conf.ByComparison() {
		phases = []func() error{tc.rights, tc.sample, tc.plans, tc.size, tc.compared, tc.keys, tc.volatile, tc.unindexable}
	}
	for _, phase := range phases {
		if err := phase(); err != nil {
			c.Failed(t.Conf, err)
			break
		}
	}
	if tc.unknown != nil {
		c.add(notLookedAt, tc.path, fmt.Sprintf("not known within %s: %s", doc.ShortDuration(queryWithin), strings.Join(tc.unknown, ", ")), nothing)
	}
}

// A tableCheck is the check of one table.
type tableCheck struct {
	*Check
	Table
	ctx  context.Context
	path string

	oids    []doc.OID // of the sample
	batch   doc.Batch // the sample as read at readAt
	readAt  time.Time
	rows    int64    // number of rows of the SQL, or an estimate
	window  doc.Plan // of the main SQL
	hint    *doc.Hint
	unknown []string // what queries did not return in time

	planUnknown bool // a plan has an unknown form
}

// ask sends a query that may take long. If there is no answer within
// queryWithin, known is false and what is added to the finding not_looked_at.
func ask[T any](tc *tableCheck, what string, query func(context.Context) (T, error)) (answer T, known bool, err error) {
	ctx, cancel := context.WithTimeout(tc.ctx, queryWithin)
	defer cancel()
	var none T
	switch answer, err = query(ctx); {
	case err == nil:
		return answer, true, nil
	case ctx.Err() != nil:
		if !slices.Contains(tc.unknown, what) {
			tc.unknown = append(tc.unknown, what)
		}
		return none, false, nil
	}
	return none, false, err
}

// A tableSQL is an SQL of a table that reads rows.
type tableSQL struct {
	name, path, sql string // path: sql, children.NAME or extra.NAME
	updated, unit   string
}

// sqls returns the SQLs of the table: first its own, then those of children and
// extras.
func (tc *tableCheck) sqls() []tableSQL {
	t := tc.Conf
	all := []tableSQL{{t.Name, "sql", t.SQL, t.Updated, t.Unit}}
	for _, c := range t.Children {
		all = append(all, tableSQL{c.Name, "children." + c.Name, c.SQL, c.Updated, c.Unit})
	}
	for _, x := range t.Extra {
		all = append(all, tableSQL{x.Name, "extra." + x.Name, x.SQL, x.Updated, x.Unit})
	}
	return all
}

// keyPath returns the path in the configuration of a key beside an SQL.
func (tc *tableCheck) keyPath(path, key string) string {
	if path == "sql" {
		return tc.path + "." + key
	}
	return tc.path + "." + path + "." + key
}

// oneLine returns the text of an error without line breaks.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
