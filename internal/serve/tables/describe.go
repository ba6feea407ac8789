package tables

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/serve/database"
	"indexerd/timetrace"
)

// A table is described before its rows are read: the columns that its SQLs
// return, and their types. An ALTER TABLE changes them while the daemon runs. The
// source finds the change in the result, before a row is used, and the pass fails
// with doc.ErrChangedResult. Then
//
//  1. changed forgets the description and durably marks the table as unverified:
//     a sweep under way verifies nothing;
//  2. the next pass describes the table again (reach). While the configuration
//     does not fit the result, every pass fails with that fault;
//  3. takeRows makes the passes of the new description and starts a sweep, which
//     compares every row under the new epoch.
//
// Marks stay where they are: a pass moves its mark only after all of its rows
// are durable. Searches go on, except where the column of groups is gone (hide).

// reach returns the rows of the table. It describes the table if no description
// holds; in a daemon it then makes the passes of the new description.
func (t *Table) reach(ctx context.Context) (database.Rows, error) {
	select {
	case t.describing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-t.describing }()
	if r := t.described(); r != nil {
		return r, nil
	}
	if t.Source.Database == nil {
		return nil, fmt.Errorf("source %s is not open", t.Source.Conf.Name)
	}
	r, err := t.Describe(ctx)
	if err == nil {
		err = t.fits(r)
	}
	if t.alive.Load() {
		if err != nil {
			return nil, t.fail("connect", t.hideWithoutGroups(ctx, err))
		}
		return r, t.fail("connect", t.takeRows(r))
	}
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = r
	return r, nil
}

// described returns the rows; nil where no description holds.
func (t *Table) described() database.Rows {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rows
}

// fits checks that stored keys mean what the described ones do.
func (t *Table) fits(r database.Rows) error {
	marks, _ := t.Trace.Table(t.Conf.Name)
	if marks.Kinds == nil || slices.Equal(marks.Kinds, r.Kinds()) {
		return nil
	}
	return t.Config.Fault("tables."+t.Conf.Name+".key", fmt.Sprintf("the key is %v, and the table was loaded with %v", r.Kinds(), marks.Kinds),
		"put the type back, or load the table again: "+t.Command("reload"))
}

// takeRows makes the passes of a description. Under another epoch no stored token
// can be compared, so a sweep starts.
func (t *Table) takeRows(r database.Rows) error {
	if !t.IsOpen() {
		if err := t.Make(r, t.unitsFound()); err != nil {
			return err
		}
	}
	if err := t.noteDescription(r); err != nil {
		return err
	}
	p := t.newPasses(r)
	t.mu.Lock()
	t.rows, t.passes = r, p
	t.mu.Unlock()
	t.sweepIfDoubted(0)
	return nil
}

// noteDescription records the SQL and the result that new tokens are made of. If
// stored tokens were made of others, the table is unverified until a sweep has
// compared every row.
func (t *Table) noteDescription(r database.Rows) error {
	sql, epoch := t.Conf.SQLFingerprint(), r.Epoch()
	marks, _ := t.Trace.Table(t.Conf.Name)
	reason := "the SQL was changed"
	switch {
	case marks.SQL == sql && marks.Epoch == epoch:
		return nil
	case marks.SQL == sql && marks.Epoch == 0:
		reason = "an earlier version of indexerd made the tokens"
	case marks.SQL == sql:
		reason = "the SQL returns other columns than it did"
	}
	return t.Trace.UpdateTable(t.Conf.Name, func(m *timetrace.Table) {
		m.SQL, m.Epoch, m.Units = sql, epoch, t.unitsFound()
		m.Doubt(reason)
	})
}

// changed checks the error of a pass on these rows. If a result differed from its
// description, it forgets the description, so that the next pass describes the
// table again, unless another pass has done so already.
func (t *Table) changed(r database.Rows, err error) error {
	if !errors.Is(err, doc.ErrChangedResult) {
		return err
	}
	t.mu.Lock()
	holds := t.rows == r
	if holds {
		t.rows = nil
	}
	t.mu.Unlock()
	if !holds || !t.alive.Load() {
		return err
	}
	return errors.Join(err, t.Trace.UpdateTable(t.Conf.Name, func(m *timetrace.Table) {
		m.Doubt("the SQL returns other columns than it did")
	}))
}

// hideWithoutGroups gets the error of a description. If the SQL does not return
// the column of groups any more, it hides all documents of the table from callers
// who are not admins before it returns the error: whether a group has lost a
// right is unknown.
func (t *Table) hideWithoutGroups(ctx context.Context, why error) error {
	if t.Conf.ACL == "" || !database.IsFault(why) {
		return why
	}
	lost, err := t.lacksGroups(ctx)
	if err != nil || !lost {
		return why // unknown now: the next pass asks again
	}
	marks, _ := t.Trace.Table(t.Conf.Name)
	if marks.Hidden != "" {
		return why
	}
	hide := func(m *timetrace.Table) {
		m.Hide(fmt.Sprintf("only admins find documents: %s, the acl, does not come from the SQL since %s; it ends when it does and a full sweep has ended",
			t.Conf.ACL, time.Now().UTC().Format(time.RFC3339)))
	}
	t.Trace.Note(t.Conf.Name, hide) // at once, even where the disk is full
	return errors.Join(why, t.Trace.Flush())
}

// lacksGroups reports whether the SQL of the groups does not return them any more.
// A missing privilege is an error: it does not answer the question.
func (t *Table) lacksGroups(ctx context.Context) (bool, error) {
	from := database.SideSQL{SQL: t.Conf.SQL, Columns: []string{t.Conf.ACL}}
	for _, f := range database.SideSQLs(t.Conf) {
		if f.Name == t.Conf.ACL {
			from = f
		}
	}
	columns, err := t.Source.ColumnsOf(ctx, from.SQL)
	switch {
	case errors.As(err, new(*database.Denied)):
		return false, err
	case err != nil:
		return database.IsFault(database.AsFault(t.Config, t.Conf.Name, err)), nil
	}
	missing := func(name string) bool { return !slices.Contains(columns, name) }
	beside := len(slices.DeleteFunc(slices.Clone(columns), func(name string) bool { return name == from.Updated || slices.Contains(from.Key, name) }))
	return slices.ContainsFunc(slices.Concat(from.Columns, from.Key), missing) || from.Value && beside != 1, nil
}

// hidden returns why only admins find documents of the table; "" where callers
// find what their groups may see.
func (t *Table) hidden() string {
	if t.Conf.ACL == "" {
		return ""
	}
	marks, _ := t.Trace.Table(t.Conf.Name)
	return marks.Hidden
}
