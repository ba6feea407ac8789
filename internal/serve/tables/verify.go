package tables

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"indexerd/deletecheck"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/doc"
	"indexerd/internal/base/progress"
	"indexerd/internal/base/scrub"
	"indexerd/internal/serve/database"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/runs"
)

// VerifyTables compares one table after the other. The error of one table is in
// its line of the result; the others are compared all the same.
func VerifyTables(ctx context.Context, tables []*Table, p httpapi.VerifyRequest, live bool, r *runs.Job) (httpapi.VerifyResult, error) {
	began := time.Now()
	v := httpapi.VerifyResult{Equal: true, Tables: []httpapi.VerifiedTable{}}
	counted := verified{meter: &r.Meter, single: len(tables) == 1}
	for _, t := range tables {
		counted.rest += int64(t.CountDocuments())
	}
	for _, t := range tables {
		result, damaged, err := t.verifyAll(ctx, p, live, &counted)
		if ctx.Err() != nil {
			return v, ctx.Err()
		}
		line := verifiedTable(t.Conf.Name, p.Content, result)
		line.Error = httpapi.ErrorText(err)
		for _, d := range damaged {
			line.Damaged = append(line.Damaged, d.String())
		}
		v.Tables = append(v.Tables, line)
		v.Equal = v.Equal && err == nil && damaged == nil && result.Equal() && (!p.Strict || result.Pending == 0)
		// The result as a whole holds for the earliest time.
		if at := httpapi.TimeOrNull(result.AsOf); at != nil && (v.AsOf == nil || result.AsOf.Before(time.Time(*v.AsOf))) {
			v.AsOf = at
		}
	}
	v.TookMS = time.Since(began).Milliseconds()
	return v, nil
}

// verified counts the rows of all tables that are verified, and the files of each.
type verified struct {
	meter  *progress.Meter
	single bool  // there is one table
	done   int64 // rows of the tables before
	rest   int64 // rows of the tables that follow, and until begin of its own
}

// rows begins to count the rows of a table.
func (v *verified) rows(t *Table) (counted func(done, of int64)) {
	step := t.Conf.Name
	if v.single {
		step = ""
	}
	documents := int64(t.CountDocuments())
	v.rest = max(v.rest-documents, 0)
	before := v.done
	v.done += documents
	v.meter.Step(step, "rows", before, v.done+v.rest)
	return func(done, of int64) {
		v.done = before + of
		v.meter.Set(before+done, v.done+v.rest)
	}
}

// files begins to count what is read of the files of a table.
func (v *verified) files(t *Table) *progress.Meter {
	v.meter.Step("files of "+t.Conf.Name, progress.Bytes, 0, t.BytesOnDisk())
	return v.meter
}

// verifyAll reads the files of one table, if the content is to be verified, and compares
// it. A damaged index is not compared.
func (t *Table) verifyAll(ctx context.Context, p httpapi.VerifyRequest, live bool, counted *verified) (deletecheck.Result, []scrub.Damage, error) {
	if !p.Content {
		result, err := t.Verify(ctx, p, live, counted.rows(t))
		return result, nil, err
	}
	found, err := t.verifyFiles(ctx, counted.files(t))
	if err != nil || found != nil && !p.Repair && t.Damage() != nil {
		return deletecheck.Result{}, found, err
	}
	if p.Repair && (t.Damage() != nil || t.Rebuilding()) {
		if err := t.rebuild(ctx); err != nil {
			return deletecheck.Result{}, found, err
		}
	}
	result, err := t.Verify(ctx, p, live, counted.rows(t))
	if err != nil || !p.Repair || found == nil {
		return result, found, err
	}
	left, err := t.verifyFiles(ctx, counted.files(t))
	result.Repaired += len(found) - len(left)
	return result, left, err
}

// verifyFiles returns the files of the table that are damaged. The meter counts the bytes
// that it reads.
func (t *Table) verifyFiles(ctx context.Context, counted *progress.Meter) ([]scrub.Damage, error) {
	r := scrub.NewRun(ctx, nil)
	r.Meter = counted
	err := t.Scrub(r)
	t.noteDamaged(r)
	if err != nil {
		return r.Damaged, fmt.Errorf("verify: %w", err)
	}
	return r.Damaged, nil
}

// Verify compares one table. It does not hold the lane: passes run beside it.
func (t *Table) Verify(ctx context.Context, p httpapi.VerifyRequest, live bool, progress func(done, of int64)) (deletecheck.Result, error) {
	if err := t.comparable(p.Content); err != nil {
		return deletecheck.Result{}, err
	}
	return asked(ctx, t, func(ctx context.Context, r database.Rows) (deletecheck.Result, error) {
		return t.verifyRows(ctx, r, p, live, progress)
	})
}

func (t *Table) verifyRows(ctx context.Context, r database.Rows, p httpapi.VerifyRequest, live bool, progress func(done, of int64)) (deletecheck.Result, error) {
	scratch := t.Dir
	if t.ReadOnly {
		dir, err := os.MkdirTemp("", "indexerd-verify-")
		if err != nil {
			return deletecheck.Result{}, fmt.Errorf("verify: %w", err)
		}
		defer os.RemoveAll(dir)
		scratch = dir
	}
	index := t.Current()
	consent := &consent{guard: t.Guard}
	defer consent.end()
	v := deletecheck.Verify{
		Table: t.Conf.Name, Source: r, Index: index, Pages: t.Pages, Quarantine: t.Quarantine,
		Trace: t.Trace, FS: atomicfile.OS, Dir: t.Dir, Scratch: scratch, Batch: t.Conf.Batch, Chunk: t.chunk(),
		Timeless: t.Conf.ByComparison(), Live: live, Wait: p.Wait(), Content: p.Content, Hash: index.Hash,
		Repair: p.Repair, Sink: t.Sink, Allow: consent.give, Progress: progress,
	}
	if v.Timeless && live {
		v.Settle = t.compareNow
	}
	result, err := v.Run(ctx)
	if err != nil {
		return result, fmt.Errorf("verify: %w", err)
	}
	return result, nil
}

// comparable returns why a table can't be verified now; nil where it can. While an
// index is built for another mapping, pages have hashes of both mappings.
func (t *Table) comparable(content bool) error {
	t.mu.Lock()
	reindexing := t.reindexing
	t.mu.Unlock()
	switch {
	case reindexing:
		return errors.New("it is being reindexed: verify when that has ended")
	case t.Rebuilding():
		return errors.New("its index is being rebuilt: verify when that has ended")
	case content && !t.IsMapped():
		return fmt.Errorf("the mapping was changed: run `indexerd reindex %s`, then verify its content", t.Conf.Name)
	}
	return nil
}

// consent lets removals through the guard for as long as a repair goes on.
type consent struct {
	guard interface{ Allow(int) }
	given atomic.Bool
}

func (c *consent) give(n int) {
	c.given.Store(true)
	c.guard.Allow(n)
}

func (c *consent) end() {
	if c.given.Load() {
		c.guard.Allow(0)
	}
}

func verifiedTable(name string, content bool, r deletecheck.Result) httpapi.VerifiedTable {
	return httpapi.VerifiedTable{
		Table: name, Content: content, Compared: r.Compared,
		Lost: r.Lost, Stale: r.Stale, Ghost: r.Ghost, Torn: r.Torn,
		Pending: r.Pending, Unsettled: r.Unsettled, Quarantined: r.Quarantined, Partial: r.Partial, Repaired: r.Repaired,
		First: httpapi.FirstOIDs{Lost: names(r.First.Lost), Stale: names(r.First.Stale), Ghost: names(r.First.Ghost), Torn: names(r.First.Torn)},
	}
}

// names prints keys.
func names(oids []doc.OID) []string {
	all := make([]string, len(oids))
	for i, oid := range oids {
		all[i] = oid.String()
	}
	return all
}
