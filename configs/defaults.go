package configs

import (
	"cmp"
	"runtime"
	"slices"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
	"indexerd/internal/index/title"
)

// defaultListen is the default of http.listen.
const defaultListen = "127.0.0.1:7700"

// setDefaults replaces zero values by their defaults.
func (c *Config) setDefaults() {
	c.HTTP.Listen = cmp.Or(c.HTTP.Listen, defaultListen)
	c.Log.Format = cmp.Or(c.Log.Format, "text")
	c.Log.Level = cmp.Or(c.Log.Level, "info")
	for i := range c.HTTP.Tokens {
		t := &c.HTTP.Tokens[i]
		t.Admin = t.admin != nil && *t.admin
	}
	c.setIndexDefaults()
	for i := range c.Tables {
		c.Tables[i].setDefaults()
		c.Tables[i].Workers = cmp.Or(c.Tables[i].Workers, c.Index.workers())
	}
	c.PageStore.Engine = cmp.Or(c.PageStore.Engine, FileMap)
	c.Bloom.Engine, c.Bloom.Key = cmp.Or(c.Bloom.Engine, Local), cmp.Or(c.Bloom.Key, "indexerd")
	c.Marks.Engine = cmp.Or(c.Marks.Engine, File)
	for i := range c.Sources {
		c.Sources[i].Limits.setDefaults(c.Tables, c.Sources[i].Name)
	}
}

// workers is how many workers index a table: some index while others wait for a cluster.
func (x Index) workers() int {
	if x.Engine == OpenSearch {
		return 2 * runtime.GOMAXPROCS(0)
	}
	return runtime.GOMAXPROCS(0)
}

func (t *Table) setDefaults() {
	t.Content.Analyzer = cmp.Or(t.Content.Analyzer, "standard")
	t.Content.BM25 = query.BM25{
		K1: *cmp.Or(t.Content.k1, &query.DefaultBM25.K1),
		B:  *cmp.Or(t.Content.b, &query.DefaultBM25.B),
	}
	if t.Title.Columns() == nil {
		t.Title = title.Default(slices.DeleteFunc(slices.Clone(t.Content.Fields), func(name string) bool { return name == t.ACL }))
	}
	t.Stopwords = cmp.Or(t.Stopwords, noStopwords)
	t.Relevance = cmp.Or(t.Relevance, string(query.Tuned))
	t.Positions = t.positions == nil || *t.positions
	t.Fresh = t.fresh != nil && *t.fresh
	if t.RowKey {
		t.Batch, t.MaxRows = cmp.Or(t.Batch, rowKeyBatch), cmp.Or(t.MaxRows, RowKeyRows)
	}
	t.Batch = cmp.Or(t.Batch, 10000)
	t.Limits = doc.Limits{
		Text:     cmp.Or(t.Limits.Text, 8<<20),
		Words:    cmp.Or(t.Limits.Words, 1_500_000),
		Distinct: cmp.Or(t.Limits.Distinct, 250_000),
	}
	t.Incremental.Every = cmp.Or(t.Incremental.Every, time.Second)
	t.Compensate.setDefaults(t.TransactionTimeout)
	t.DeleteCheck.Every = cmp.Or(t.DeleteCheck.Every, time.Hour)
	t.DeleteCheck.MaxFraction = cmp.Or(t.DeleteCheck.MaxFraction, 0.2)
	t.DeleteCheck.MaxCount = cmp.Or(t.DeleteCheck.MaxCount, 100)
	t.DeleteCheck.Share = cmp.Or(t.DeleteCheck.Share, 0.5)
	last := t.Compensate.Tiers[len(t.Compensate.Tiers)-1]
	t.TransactionTimeout = cmp.Or(t.TransactionTimeout, last.Timeout)
	t.Pages.Versions = cmp.Or(t.Pages.Versions, 1)
	t.Pages.Compression = cmp.Or(t.Pages.Compression, "s2")
}

// RowKeyRows is the number of rows up to which a table has RowKey by default.
const RowKeyRows = 1_000_000

// rowKeyBatch is the batch of a table with RowKey: each batch reads the whole table.
const rowKeyBatch = 50_000

func (c *Compensate) setDefaults(transactionTimeout time.Duration) {
	c.Horizon = cmp.Or(c.Horizon, "auto")
	c.Every = cmp.Or(c.Every, 2*time.Second)
	c.Slack = cmp.Or(c.Slack, time.Second)
	c.Tree = cmp.Or(c.Tree, 64<<20)
	if len(c.Tiers) == 0 {
		c.Tiers = defaultTiers(transactionTimeout)
	}
	for i := range c.Tiers {
		t := &c.Tiers[i]
		t.Start = cmp.Or(t.Start, t.Every)
		if t.End == endSettled {
			t.End = t.Timeout
		}
	}
}

// defaultTiers look back 1, 3 and 10 minutes. The last tier looks back further
// if transactionTimeout is longer.
func defaultTiers(transactionTimeout time.Duration) []Tier {
	const last = 10 * time.Minute
	return []Tier{
		{Name: "1m", Every: time.Minute, Timeout: time.Minute},
		{Name: "3m", Every: 3 * time.Minute, Timeout: 3 * time.Minute},
		{Name: "10m", Every: last, Timeout: max(last, transactionTimeout), End: endSettled},
	}
}
