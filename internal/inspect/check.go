package inspect

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"indexerd/configs"
	"indexerd/internal/doc"
	"indexerd/internal/fulltext"
	"indexerd/internal/timeunit"
)

// TableWithin bounds what is asked of one table or of one server, and
// probeWithin a question that may have to read a whole table. What is not known
// by then is not worth a database at work.
const (
	TableWithin = 15 * time.Second
	probeWithin = 3 * time.Second
)

// Rows is one configured SQL on a database.
type Rows interface {
	Kinds() []doc.Kind
	Tick() time.Duration
	Count(context.Context) (int64, error)
	Estimate(context.Context) (int64, error)
	Docs(context.Context, []doc.OID) iter.Seq2[doc.Batch, error]
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
}

// A Server is a database as a whole.
type Server interface {
	Address() string
	Server(context.Context) (doc.Server, error)
}

// A Horizon is how a database tells what may still come.
type Horizon interface {
	Horizon(context.Context) (doc.Horizon, error)
}

// A Check looks at a configuration and its databases, and gathers what there is
// to say. Nothing is changed, and nothing is asked that takes long.
type Check struct {
	cfg      *configs.Config
	found    Findings
	servers  map[string]doc.Server // by source
	writable map[string][]string   // tables, by source
}

// NewCheck begins with what needs no database.
func NewCheck(cfg *configs.Config) *Check {
	c := &Check{cfg: cfg, found: Findings{Findings: []Finding{}}, servers: map[string]doc.Server{}, writable: map[string][]string{}}
	c.disk(freeBytes)
	c.access()
	return c
}

// access looks at who may find what.
func (c *Check) access() {
	for _, t := range c.cfg.Tables {
		if t.ACL != "" && len(c.cfg.HTTP.Tokens) == 0 {
			c.add(aclOpen, "tables."+t.Name+".acl", "it restricts nobody: without tokens, every user of this machine finds every document", "list http.tokens, each with its groups")
		}
	}
}

// Findings ends the check.
func (c *Check) Findings() Findings {
	for _, s := range c.cfg.Sources {
		c.canWrite(s.Name)
	}
	return c.found
}

// add files a finding at a path of the configuration.
func (c *Check) add(k code, path, what, do string) {
	file, line := c.cfg.At(path)
	c.found.add(k, configs.Fault{File: file, Line: line, Path: path, What: what, Do: do})
}

// BadDSN files that the address of a source can't be read.
func (c *Check) BadDSN(source string, err error) {
	c.add(badDSN, "sources."+source+".dsn", oneLine(err), "mend the address")
}

// Denied files that the role lacks a right, as GRANT says it, for a table.
func (c *Check) Denied(t configs.Table, field, what, grant string) {
	role := c.servers[t.Source].Role
	c.add(selectDenied, "tables."+t.Name+"."+field, what, fmt.Sprintf("GRANT %s TO %s", grant, role))
}

// Failed files why a table's SQL can't be looked at.
func (c *Check) Failed(t configs.Table, err error) {
	var many configs.Faults
	var one configs.Fault
	switch {
	case errors.As(err, &many):
	case errors.As(err, &one):
		many = configs.Faults{one}
	case errors.Is(err, doc.ErrUnavailable):
		c.add(unreachable, "sources."+t.Source, oneLine(err), "start the database, or mend the address")
	default:
		c.add(queryFailed, "tables."+t.Name+".sql", oneLine(err), "run the SQL by hand to see why")
	}
	for _, fault := range many {
		c.found.add(configFault, fault)
	}
}

// A Table is what there is to look at of a table.
type Table struct {
	Conf    configs.Table
	Rows    Rows
	Mapping fulltext.Mapping
	Horizon Horizon // nil: the database has none
}

// Table looks at a table whose SQLs have been prepared.
func (c *Check) Table(ctx context.Context, t Table) {
	l := &look{Check: c, Table: t, ctx: ctx, path: "tables." + t.Conf.Name}
	for _, phase := range []func() error{l.changes, l.rights, l.sample, l.plans, l.size, l.keys, l.times, l.zone, l.volatile, l.unindexable, l.settled} {
		if err := phase(); err != nil {
			c.Failed(t.Conf, err)
			break
		}
	}
	if l.left != nil {
		c.add(notLookedAt, l.path, fmt.Sprintf("not known within %s: %s", span(probeWithin), strings.Join(l.left, ", ")), nothing)
	}
}

// A look is a check of one table.
type look struct {
	*Check
	Table
	ctx  context.Context
	path string

	oids   []doc.OID // of the sample
	docs   []doc.Doc // of the same rows, as they were
	readAt time.Time
	again  []doc.Doc    // as they were the last time but one
	bad    []doc.Reject // of the sample
	rows   int64        // that the SQL returns, or about so many
	window doc.Plan     // of the main SQL
	left   []string     // what took too long
}

// probe asks something that may take long, and reports whether there is an
// answer.
func (l *look) probe(what string, ask func(context.Context) error) (known bool, err error) {
	ctx, cancel := context.WithTimeout(l.ctx, probeWithin)
	defer cancel()
	switch err = ask(ctx); {
	case err == nil:
		return true, nil
	case ctx.Err() != nil:
		if !slices.Contains(l.left, what) {
			l.left = append(l.left, what)
		}
		return false, nil
	}
	return false, err
}

// oneLine is the text of an error.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
