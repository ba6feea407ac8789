// Package keycases defines what every source returns for NULL keys and for keys
// that several rows have. The tests of each source run these cases on their own
// database and must get the same results.
package keycases

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"indexerd/internal/doc"
)

// A Case is the rows of a table t (a bigint, b text, u bigint, gone bigint) and
// what each method of a source returns for them. u is seconds since 1970;
// gone = 1 marks a row deleted.
type Case struct {
	Name string
	Key  []string
	Rows string  // in the form of VALUES
	Ask  [][]any // keys for Docs and StampsOf
	Want string  // one line for each method
}

// Batch and Page are the numbers of rows of a batch and of a page of stamps in
// the cases.
const Batch, Page = 2, 2

// Create is the statement that creates the table.
const Create = "CREATE TABLE t (a bigint, b text, u bigint, gone bigint)"

// A Table is a source's table with the key of the case.
type Table interface {
	Range(context.Context, doc.Range) iter.Seq2[doc.Batch, error]
	Docs(context.Context, []doc.OID) iter.Seq2[doc.Batch, error]
	Stamps(context.Context, doc.Window) iter.Seq2[[]doc.Stamp, error]
	StampsByOID(context.Context, doc.Window) iter.Seq2[[]doc.Stamp, error]
	StampsInRange(context.Context, doc.Range) iter.Seq2[[]doc.Stamp, error]
	StampsOf(context.Context, []doc.OID) ([]doc.Stamp, error)
	Keyless(context.Context) (doc.Batch, error)
	Unusable(context.Context, doc.Window) (doc.Batch, error)
}

// Run calls every method of the table and compares the results with the case.
func (c Case) Run(t *testing.T, table Table) {
	t.Helper()
	var ask []doc.OID
	for _, parts := range c.Ask {
		oid, err := doc.NewOID(parts...)
		if err != nil {
			t.Fatal(err)
		}
		ask = append(ask, oid)
	}
	ctx := t.Context()
	w := doc.Window{From: time.Unix(100, 0), To: time.Unix(200, 0)}
	of, err := table.StampsOf(ctx, ask)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(of, func(a, b doc.Stamp) int { return strings.Compare(string(a.OID), string(b.OID)) })
	keyless, err := table.Keyless(ctx)
	if err != nil {
		t.Fatal(err)
	}
	unusable, err := table.Unusable(ctx, w)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join([]string{
		"range     " + batches(t, table.Range(ctx, doc.Range{})),
		"docs      " + batches(t, table.Docs(ctx, ask)),
		"of        " + stamps(of),
		"in range  " + pages(t, table.StampsInRange(ctx, doc.Range{})),
		"by key    " + pages(t, table.StampsByOID(ctx, w)),
		"window    " + pages(t, table.Stamps(ctx, w)),
		"keyless   " + reasons(keyless.Rejects),
		"in window " + reasons(unusable.Rejects),
	}, "\n")
	if want := strings.TrimSpace(c.Want); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// batches prints the keys of documents and deleted rows, and the reasons of
// rejects. It marks a key that has several rows in its batch, and prints a key
// twice if two batches have it.
func batches(t *testing.T, all iter.Seq2[doc.Batch, error]) string {
	t.Helper()
	var printed []string
	for b, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		var keys []doc.OID
		rows := map[doc.OID]int{}
		for _, d := range b.Docs {
			keys = append(keys, d.OID)
			rows[d.OID]++
		}
		slices.Sort(keys)
		for _, oid := range slices.Compact(keys) {
			text := oid.String()
			if n := rows[oid]; n > 1 {
				text += " by several rows"
			}
			printed = append(printed, text)
		}
		for _, oid := range b.Deleted {
			printed = append(printed, oid.String()+" deleted")
		}
		for _, r := range b.Rejects {
			printed = append(printed, strings.TrimPrefix(r.OID.String()+" ", "0x ")+r.Reason)
		}
	}
	slices.Sort(printed)
	return line(printed)
}

func pages(t *testing.T, all iter.Seq2[[]doc.Stamp, error]) string {
	t.Helper()
	var read []doc.Stamp
	for page, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		read = append(read, page...)
	}
	return stamps(read)
}

// stamps prints keys in their order, "unknown" after a key whose token is unknown,
// and "unusable keys" last if a stamp has no key.
func stamps(all []doc.Stamp) string {
	all, some := doc.WithoutUnusable(all)
	var printed []string
	for _, s := range all {
		text := s.OID.String()
		if s.Token.Digest == 0 {
			text += " unknown"
		}
		printed = append(printed, text)
	}
	if some {
		printed = append(printed, "unusable keys")
	}
	return line(printed)
}

func reasons(rejects []doc.Reject) string {
	var printed []string
	for _, r := range rejects {
		printed = append(printed, r.Reason)
	}
	return line(printed)
}

func line(texts []string) string {
	if len(texts) == 0 {
		return "none"
	}
	return strings.Join(texts, "; ")
}

// Insert returns the statement that inserts the rows.
func (c Case) Insert() string { return fmt.Sprintf("INSERT INTO t VALUES %s", c.Rows) }
