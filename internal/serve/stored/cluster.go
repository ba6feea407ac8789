package stored

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/index/opensearch"
	"indexerd/internal/index/reindex"
	"indexerd/internal/serve/database"
	"indexerd/internal/serve/leader"
	"indexerd/internal/tool/inspect"
	"indexerd/timetrace"
)

// A cluster is the place of a table's indexes in OpenSearch.
type cluster struct {
	*Table
	next *opensearch.Index // of a reindex

	ctx context.Context // of all calls
	end func()          // them
}

// IndexDeleted is why a table is unverified whose index was made again: refill adds the
// documents that the pages have.
const IndexDeleted = "the index was deleted"

func newCluster(s *Table) *cluster {
	ctx, cancel := context.WithCancel(context.Background())
	return &cluster{Table: s, ctx: ctx, end: cancel}
}

// The times that a cluster has: to answer a request that opens or makes an index, and to
// take a write.
const (
	OpenWithin  = 2 * time.Minute
	writeWithin = time.Minute
)

func (c *cluster) config() opensearch.Config {
	x := c.Config.Index
	return opensearch.Config{
		Nodes: x.URLs, User: x.User, Password: x.Password, APIKey: x.APIKey, HTTP: c.client(),
		Name: x.Prefix + c.Conf.Name, Owner: c.Owner, TakeOver: c.Config.TakeOver, Term: c.term(),
		Mapping: database.Mapping(c.Conf), BM25: &c.Conf.Content.BM25, Source: x.Source, Shards: x.Shards, Replicas: x.Replicas,
		Ctx: c.ctx, Dir: c.clusterDir(), Patience: writeWithin,
	}
}

func httpClient(x configs.Index) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16
	if x.CA != nil {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(x.CA)
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: transport}
}

// clusterDir is the directory with the identity of an index in a cluster.
func (s *Table) clusterDir() string { return filepath.Join(s.Dir, "index") }

// open opens the index in use. If the cluster has none, or not the one that was left
// there, the table becomes unverified first. A missing one is made, and refilled from the
// pages. Then the sweep repairs the documents.
func (c *cluster) open() (opened, error) {
	config := c.config()
	marks, _ := c.Trace.Table(c.Conf.Name)
	if c.ReadOnly {
		ix, err := config.OpenReadOnly(marks.Generation)
		return opened{ix, config.Mapping, true}, err
	}
	ctx, cancel := context.WithTimeout(c.ctx, OpenWithin)
	defer cancel()
	ix, err := config.Open(ctx, marks.Generation)
	if errors.Is(err, opensearch.ErrMissing) && marks.Loaded {
		if err := c.doubt(IndexDeleted); err != nil {
			return opened{}, err
		}
		return c.createLoaded(marks.Generation)
	}
	if err != nil {
		return opened{}, err
	}
	if reason := ix.Doubt(); reason != "" {
		err = c.doubt(reason)
	}
	if err == nil {
		err = c.above(ix)
	}
	if err == nil {
		err = ix.Trust()
	}
	if err == nil && marks.Loaded {
		err = ix.Serve(ctx)
	}
	if err != nil {
		return opened{}, errors.Join(err, ix.Close())
	}
	return c.opened(ix), nil
}

// createLoaded makes an empty index for a table whose rows are not loaded again.
func (c *cluster) createLoaded(generation doc.Generation) (opened, error) {
	o, err := c.create(generation)
	if err == nil {
		err = o.Index.(*opensearch.Index).Serve(c.ctx)
	}
	return o, err
}

// above raises the numbers of the table above those that any other data directory can
// have used in the index.
func (c *cluster) above(ix *opensearch.Index) error {
	return c.Trace.UpdateTable(c.Conf.Name, func(m *timetrace.Table) {
		m.Numbers = max(m.Numbers, ix.Epoch()<<opensearch.EpochBits)
	})
}

func (c *cluster) opened(ix *opensearch.Index) opened {
	built, mapped := ix.Built(c.config())
	return opened{ix, built, mapped}
}

func (c *cluster) create(generation doc.Generation) (opened, error) {
	ctx, cancel := context.WithTimeout(c.ctx, OpenWithin)
	defer cancel()
	ix, err := c.newIndex(ctx, generation)
	if err != nil {
		return opened{}, err
	}
	if err = ix.Use(ctx); err == nil {
		err = ix.Trust()
	}
	if err == nil {
		err = c.config().Clean(ctx)
	}
	if err == nil {
		err = c.above(ix)
	}
	if err != nil {
		return opened{}, errors.Join(err, ix.Close())
	}
	return c.opened(ix), nil
}

// newIndex makes an index that is not in use, and removes those that crashes have left.
func (c *cluster) newIndex(ctx context.Context, generation doc.Generation) (*opensearch.Index, error) {
	err := c.config().Claim(ctx)
	if err == nil {
		err = c.config().Clean(ctx)
	}
	if err != nil {
		return nil, err
	}
	marks, _ := c.Trace.Table(c.Conf.Name)
	return c.config().Create(ctx, generation, marks.Numbers)
}

// Create implements reindex.Place.
func (c *cluster) Create(generation doc.Generation) (reindex.New, error) {
	ctx, cancel := context.WithTimeout(c.ctx, OpenWithin)
	defer cancel()
	ix, err := c.newIndex(ctx, generation)
	if err != nil {
		return nil, err
	}
	c.next = ix
	return ix, nil
}

// Commit implements reindex.Place. The identity is written after the alias: a crash in
// between makes the next start sweep.
func (c *cluster) Commit() error {
	ctx, cancel := context.WithTimeout(c.ctx, OpenWithin)
	defer cancel()
	if err := c.next.Serve(ctx); err != nil {
		return err
	}
	err := c.next.Use(ctx)
	if errors.Is(err, opensearch.ErrUndecided) {
		return fmt.Errorf("%w: %w", reindex.ErrUndecided, err)
	}
	if err != nil {
		return err
	}
	return c.next.Trust()
}

// Discard implements reindex.Place.
func (c *cluster) Discard() error {
	ctx, cancel := context.WithTimeout(c.ctx, OpenWithin)
	defer cancel()
	return c.next.Remove(ctx)
}

// Retire implements reindex.Place.
func (c *cluster) Retire() error {
	ctx, cancel := context.WithTimeout(c.ctx, OpenWithin)
	defer cancel()
	return c.config().Clean(ctx)
}

func (c *cluster) claim() error {
	if c.ReadOnly {
		return nil
	}
	ctx, cancel := context.WithTimeout(c.ctx, OpenWithin)
	defer cancel()
	return c.config().Claim(ctx)
}

func (c *cluster) interrupt() { c.end() }

// room leaves it to the cluster: a full disk blocks its writes.
func (c *cluster) room(uint64) error { return nil }

// TryIndex sends the cluster each kind of request that indexerd sends.
func TryIndex(ctx context.Context, cfg *configs.Config) (x inspect.Index) {
	ctx, cancel := context.WithTimeout(ctx, OpenWithin)
	defer cancel()
	owner, err := leader.KnownOwner(ctx, cfg)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return inspect.Index{Err: err}
	}
	for i, t := range cfg.Tables {
		config := newCluster(&Table{Config: cfg, Conf: t, Owner: owner, Dir: filepath.Join(cfg.Data, t.Name)}).config()
		if i == 0 {
			flavor, err := config.Flavor(ctx)
			if err != nil {
				x.Err = err
				return x
			}
			x.Version, x.Tested = flavor.String(), flavor.Tested
			x.ClusterRights, x.IndexRights = flavor.Rights()
			for _, r := range config.Try(ctx, flavor) {
				x.Refused = append(x.Refused, fmt.Sprintf("the cluster refuses to %s (%v), which needs %s", r.Request, r.Err, r.Privilege))
			}
		}
		switch err := config.Claim(ctx); {
		case errors.Is(err, opensearch.ErrOwner):
			x.Owned = append(x.Owned, t.Name)
		case err != nil:
			x.Err = err
		}
	}
	return x
}

// term returns the term of the daemon; 0 if it elects no leader.
func (c *cluster) term() uint64 {
	if term := c.Shared.Term(); term != nil {
		return term.Leader.Term
	}
	return 0
}

// FenceIndex ends what earlier daemons may write to the indexes of a table.
func FenceIndex(cfg *configs.Config, conf configs.Table, s *leader.Shared, over *Connections) error {
	c := newCluster(&Table{Config: cfg, Conf: conf, Dir: filepath.Join(cfg.Data, conf.Name), Shared: s, Owner: s.OwnerID(), Over: over})
	defer c.end()
	ctx, cancel := context.WithTimeout(c.ctx, OpenWithin)
	defer cancel()
	return c.config().Fence(ctx)
}

// AsksCluster returns a function that returns an error if the cluster does not answer.
func (s *Table) AsksCluster() func(context.Context) error {
	config := newCluster(s).config()
	return func(ctx context.Context) error {
		_, err := config.Flavor(ctx)
		config.HTTP.CloseIdleConnections()
		return err
	}
}
