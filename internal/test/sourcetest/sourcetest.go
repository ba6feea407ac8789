// Package sourcetest is the conformance suite of sources: behaviours that every
// database must show to the passes. The test of a source makes a Harness for its
// database and calls Run, which runs each behaviour as a subtest whose name is a
// sentence.
//
// Some behaviours need rows only. Their table is a Rows, which the suite builds by
// SQL, or the harness itself if its source has no SQL. All others write SQL in
// which {int}, {text}, {float} and {time} are the database's types, {@3} is an
// updateTime, at(3), and {fails} is an expression that fails where the column v
// is 0.
//
// What databases do differently is data: Facts has their types, values and
// statements, and Lacks names the behaviours that a database can't show.
package sourcetest

import (
	"context"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/base/timeunit"
	"indexerd/internal/source"
)

// A Config describes a table, as every source takes it.
type Config struct {
	SQL      string // default: SELECT * FROM doc
	Key      []string
	Updated  string
	RowKey   bool // the source makes a key; Key is empty
	MaxRows  int  // of a table with RowKey
	Timeless bool // the table has no updateTime; Updated and those of children are ""
	Unit     string
	Zone     *time.Location
	Batch    int // rows of a batch; 0: the source's default
	Page     int // stamps of a page; 0: the source's default
	Limits   doc.Limits
	Numbers  Numbers // nil: fetches have number 0
	JSON     []string
	Values   []string
	Children []Child
	Deleted  Deleted
	Changes  string
	ACL      doc.ACL
	Units    map[string]string
	Keep     func(path, unit string) error
}

// The parts of a Config are the engine's.
type (
	Child   = source.ChildConfig
	Deleted = source.DeletedConfig
	Numbers = source.Numbers
)

// Table returns the configuration as the engine takes it.
func (c Config) Table(name string) source.TableConfig {
	return source.TableConfig{
		Name: name, SQL: c.SQL, Key: c.Key, RowKey: c.RowKey, MaxRows: c.MaxRows, Updated: c.Updated, Unit: c.Unit, Zone: c.Zone, Batch: c.Batch, StampPage: c.Page, Limits: c.Limits, Numbers: c.Numbers,
		JSON: c.JSON, Values: c.Values, Children: c.Children, Deleted: c.Deleted, Changes: c.Changes, ACL: c.ACL, Units: c.Units, Keep: c.Keep,
	}
}

// Open describes the table in a source.
func (c Config) Open(ctx context.Context, s *source.Source, name string) (SQLTable, error) {
	table, err := s.Table(ctx, c.Table(name))
	if err != nil {
		return nil, err
	}
	return ofSource{table, s}, nil
}

// An ofSource is a table with its source, which is asked for many tables at once.
type ofSource struct {
	*source.Table
	source *source.Source
}

// Quiet asks for one table.
func (t ofSource) Quiet(ctx context.Context, since time.Time) (bool, error) {
	quiet, err := t.source.Quiet(ctx, []source.Since{{Table: t.Table, From: since}})
	return err == nil && quiet[0], err
}

// A Table is what the passes read of a table.
type Table interface {
	Range(context.Context, doc.Range) iter.Seq2[doc.Batch, error]
	Docs(context.Context, []doc.OID) iter.Seq2[doc.Batch, error]
	Stamps(context.Context, doc.Window) iter.Seq2[[]doc.Stamp, error]
	StampsInRange(context.Context, doc.Range) iter.Seq2[[]doc.Stamp, error]
	StampsOf(context.Context, []doc.OID) ([]doc.Stamp, error)
	Left(context.Context, doc.Window) iter.Seq2[[]doc.OID, error]
	Keyless(context.Context) (doc.Batch, error)
	Unusable(context.Context, doc.Window) (doc.Batch, error)
	Breakpoints(ctx context.Context, n int) ([]doc.OID, error)
	Count(context.Context) (int64, error)
	Ordered() bool
	Tick() time.Duration
	Now(context.Context) (time.Time, error)
	Moment(context.Context) (doc.Moment, error)
}

// An SQLTable is a Table whose rows an SQL returns.
type SQLTable interface {
	Table
	Columns() []string
	Kinds() []doc.Kind
	Epoch() uint32
	Units() map[string]timeunit.Unit
	CheckUnits(context.Context) error
	OutOfRange(context.Context) (int64, error)
	Sample(ctx context.Context, n int) ([]doc.OID, error)
	Duplicate(context.Context) (doc.OID, error)
	WithoutUpdated(ctx context.Context, most int) (int, error)
	UpdatedIn(ctx context.Context, w doc.Window, most int) (int, error)
	Quiet(ctx context.Context, since time.Time) (bool, error)
	Constant(context.Context) (bool, error)
}

// A Database is the database of one test, and a source that reads it.
type Database interface {
	// Exec runs statements in one transaction of another session.
	Exec(statements ...string) error
	// Open describes a table.
	Open(Config) (SQLTable, error)
	// Connect returns the same database with another source.
	Connect() Database
}

// A Clearer is a Database that can be emptied faster than another one is created.
type Clearer interface {
	Clear() error
}

// A Harness runs the suite on one source. It has either Open or Rows.
type Harness struct {
	Open  func(testing.TB) Database     // creates an empty database
	Alone func(testing.TB) Database     // as Open, on a server of its own; nil: Facts.Settings are not the server's
	Rows  func(testing.TB, Config) Rows // creates an empty table without SQL; it uses Timeless, Batch, Page and Numbers
	Facts Facts
	Lacks map[string]string // behaviours that the database can't show, and why
}

// Facts are what the SQL of a database looks like. An empty fact is one that the
// database does not have; the behaviours that need it must be in Lacks.
type Facts struct {
	Integer, Text, Float, Time string           // types of columns; Time has microseconds
	UUID                       string           // a type of keys
	Fold                       string           // a type of text keys whose order ignores case
	Keys                       []KeyType        // of further kinds
	Literal                    func(any) string // of a nil, time.Time or part of a key
	Fails, FailsReason         string           // an expression that fails for v = 0 alone, and part of the error
	FailsValues                []any            // values that the expression never has
	Values                     []Value          // of columns, and what documents have of them
	ValueSetup                 []string         // statements that Values need
	BadValues                  []Value          // that no document can have
	BadTimes                   []Value          // that are no times, in columns of updateTimes; {time} is the type
	PlanRows                   int              // of a table that no page sorts; 0: 6,000
	PlanTitle                  string           // a text of each of these rows
	BadKeys                    []Value          // key columns and values that are no key; 1 and 2 are keys of each
	Marks                      []Mark
	Times                      []Time
	EmptyIsNull                bool          // the database stores an empty text as NULL
	Tick                       time.Duration // of Time, if the source takes it for longer than a microsecond
	Wall                       string        // the type of an updateTime that is local time
	TableLocks                 bool          // a lock of the table is doc.ErrLocked
	Truncate                   string        // a statement that empties doc
	Changing                   []string      // expressions whose value changes without a commit
	NoDigest                   bool          // the database computes no digest: every token is unknown
	Settings                   []string      // statements that change how later sessions show values
	Writes                     []string      // SQLs that write to doc, of the database's own kinds
	WriteSetup                 []string      // what Writes need
}

// A Value is a value of a column's type.
type Value struct {
	Type, SQL string
	Want      any    // in a document
	Reason    string // part of the reject's reason
}

// A KeyType is a type of key.
type KeyType struct {
	Setup, Type string
	Values      []any  // parts of keys, at least two
	Missing     any    // another part; nil: there is none
	Of          string // an expression of many values, of the row's number k
	Repeats     bool   // rows may have the same of these values

	// Draw returns a value in SQL, of which many are near each other or equal; nil:
	// Literal of one of Values.
	Draw func(*rand.Rand) string
}

// A Mark is a type of column that marks rows deleted.
type Mark struct {
	Type, Live, Dead string
	Values           []any // for Deleted; Dead is one of them
}

// A Time is a form of updateTime.
type Time struct {
	Type, SQL string
	Zone      string // of local time; "": none
	Want      string // as RFC 3339
	Tick      time.Duration
	Wide      bool // windows are wider than asked for
}

// A Locker is a Database that can lock the table doc. The first call of Lock
// comes before any source is open.
type Locker interface {
	Lock() (unlock func() error, err error)
}

// A Killer is a Database that can end the connections of its sources.
type Killer interface {
	Kill() error
}

// A behaviour is one thing that every source does.
type behaviour struct {
	name string
	sql  bool // the behaviour needs SQL
	run  func(*run)
}

// behaviours lists all behaviours.
func behaviours() []behaviour {
	return slices.Concat(stampBehaviours, keyBehaviours, pageBehaviours, childBehaviours, deletionBehaviours, faultBehaviours,
		sessionBehaviours, snapshotBehaviours, describeBehaviours, typeBehaviours, timeBehaviours, timelessBehaviours, rowKeyBehaviours, hintBehaviours, sumBehaviours, modelBehaviours)
}

// A run is one behaviour on one database.
type run struct {
	*testing.T
	h  *Harness
	db Database // nil: the source has no SQL
}

// Run runs every behaviour.
func Run(t *testing.T, h Harness) {
	known := map[string]bool{}
	for _, b := range behaviours() {
		if known[b.name] {
			t.Errorf("two behaviours are named %q", b.name)
		}
		known[b.name] = true
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			switch why := h.Lacks[b.name]; {
			case why != "":
				t.Skip(why)
			case h.Open != nil:
				b.run(&run{t, &h, h.Open(t)})
			case b.sql:
				t.Skip("the source has no SQL")
			default:
				b.run(&run{t, &h, nil})
			}
		})
	}
	for name := range h.Lacks {
		if !known[name] {
			t.Errorf("Lacks names %q, which is no behaviour", name)
		}
	}
}
