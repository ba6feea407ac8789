// Package bigtable is Bigtable as a store of pages. It alone uses Google's client.
//
// A version is a timestamp of as many milliseconds, because a table of Bigtable takes
// whole milliseconds only and its client cuts off the rest without an error: two
// versions in one timestamp would be one cell. So versions up to
// pagetable.MaxVersion fit into the 63 bits of a timestamp in microseconds.
//
// The client finds the credentials (Application Default Credentials), or the emulator
// that BIGTABLE_EMULATOR_HOST names. It has run against the emulator, not yet against
// Bigtable itself.
package bigtable

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cloud.google.com/go/bigtable"
	"google.golang.org/api/option"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"indexerd/internal/pages/pagetable"
)

// A Config names a table.
type Config struct {
	Project  string
	Instance string
	Table    string
	// CredentialsFile has the JSON of a service account; "": the default credentials.
	CredentialsFile string
}

// A Store is one table of Bigtable.
type Store struct {
	Config
	client *bigtable.Client
	admin  *bigtable.AdminClient
	table  *bigtable.Table
}

// Open connects to the instance. That does not need an answer of it.
func (c Config) Open(ctx context.Context) (*Store, error) {
	var options []option.ClientOption
	if c.CredentialsFile != "" {
		options = append(options, option.WithAuthCredentialsFile(option.ServiceAccount, c.CredentialsFile))
	}
	admin, err := bigtable.NewAdminClient(ctx, c.Project, c.Instance, options...)
	if err != nil {
		return nil, fmt.Errorf("connect to Bigtable: %w", err)
	}
	client, err := bigtable.NewClientWithConfig(ctx, c.Project, c.Instance, bigtable.ClientConfig{MetricsProvider: bigtable.NoopMetricsProvider{}}, options...)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("connect to Bigtable: %w", err), admin.Close())
	}
	return &Store{c, client, admin, client.Open(c.Table)}, nil
}

// Close implements pagetable.Store.
func (s *Store) Close() error { return errors.Join(s.client.Close(), s.admin.Close()) }

// String implements pagetable.Store.
func (s *Store) String() string {
	return fmt.Sprintf("table %s of Bigtable's instance %s in project %s", s.Table, s.Instance, s.Project)
}

var families = []string{pagetable.Meta, pagetable.Row, pagetable.Child}

// Ready implements pagetable.Store.
func (s *Store) Ready(ctx context.Context, versions int) error {
	info, err := s.admin.TableInfo(ctx, s.Table)
	if status.Code(err) == codes.NotFound {
		if err = s.admin.CreateTable(ctx, s.Table); status.Code(err) == codes.AlreadyExists {
			err = nil
		}
		info = &bigtable.TableInfo{}
	}
	if err != nil {
		return fault(err)
	}
	policy := bigtable.MaxVersionsPolicy(versions)
	for _, name := range families {
		i := slices.IndexFunc(info.FamilyInfos, func(f bigtable.FamilyInfo) bool { return f.Name == name })
		if i < 0 {
			if err := s.admin.CreateColumnFamily(ctx, s.Table, name); err != nil && status.Code(err) != codes.AlreadyExists {
				return fault(err)
			}
		}
		if i >= 0 && info.FamilyInfos[i].GCPolicy == policy.String() {
			continue
		}
		if err := s.admin.SetGCPolicy(ctx, s.Table, name, policy); err != nil {
			return fault(err)
		}
	}
	return nil
}

// at returns the timestamp of a version.
func at(version uint64) bigtable.Timestamp { return bigtable.Timestamp(version * 1000) }

// Write implements pagetable.Store.
func (s *Store) Write(ctx context.Context, rows []pagetable.Cells) error {
	keys, mutations := make([]string, len(rows)), make([]*bigtable.Mutation, len(rows))
	for i, row := range rows {
		m := bigtable.NewMutation()
		for _, c := range row.Cells {
			m.Set(c.Family, c.Qualifier, at(c.At), c.Value)
		}
		keys[i], mutations[i] = row.Key, m
	}
	each, err := s.table.ApplyBulk(ctx, keys, mutations)
	if err != nil {
		return fault(err)
	}
	for _, err := range each {
		if err != nil {
			return fault(err)
		}
	}
	return nil
}

// Read implements pagetable.Store.
func (s *Store) Read(ctx context.Context, keys []string, family string, n int) ([]pagetable.Cells, error) {
	return s.rows(ctx, bigtable.RowList(keys), filter(family, n))
}

// Scan implements pagetable.Store.
func (s *Store) Scan(ctx context.Context, from, to, family string, n int) ([]pagetable.Cells, error) {
	return s.rows(ctx, bigtable.NewRange(from, to), filter(family, 1), bigtable.LimitRows(int64(n)))
}

func filter(family string, n int) bigtable.ReadOption {
	newest := bigtable.LatestNFilter(n)
	if family == "" {
		return bigtable.RowFilter(newest)
	}
	return bigtable.RowFilter(bigtable.ChainFilters(bigtable.FamilyFilter("^"+family+"$"), newest))
}

func (s *Store) rows(ctx context.Context, set bigtable.RowSet, options ...bigtable.ReadOption) (rows []pagetable.Cells, _ error) {
	err := s.table.ReadRows(ctx, set, func(r bigtable.Row) bool {
		row := pagetable.Cells{Key: r.Key()}
		for family, items := range r {
			for _, item := range items {
				row.Cells = append(row.Cells, pagetable.Cell{
					Family: family, Qualifier: strings.TrimPrefix(item.Column, family+":"), At: uint64(item.Timestamp) / 1000, Value: item.Value,
				})
			}
		}
		rows = append(rows, row)
		return true
	}, options...)
	if err != nil {
		return nil, fault(err)
	}
	return rows, nil
}

// Remove implements pagetable.Store. Bigtable deletes a range of timestamps of a column
// only, so it first reads which columns there are.
func (s *Store) Remove(ctx context.Context, key string, upTo uint64) error {
	rows, err := s.rows(ctx, bigtable.RowList{key}, bigtable.RowFilter(bigtable.ChainFilters(bigtable.LatestNFilter(1), bigtable.StripValueFilter())))
	if err != nil || len(rows) == 0 {
		return err
	}
	m := bigtable.NewMutation()
	for _, c := range rows[0].Cells {
		m.DeleteTimestampRange(c.Family, c.Qualifier, 0, at(upTo+1))
	}
	return fault(s.table.Apply(ctx, key, m))
}

// Swap implements pagetable.Store. The value has no history: clocks of two daemons
// would decide which is the newest.
func (s *Store) Swap(ctx context.Context, key string, was, now []byte) (bool, error) {
	cell := []bigtable.Filter{bigtable.FamilyFilter("^" + pagetable.Meta + "$"), bigtable.ColumnFilter("^owner$")}
	write := bigtable.NewMutation()
	write.DeleteCellsInColumn(pagetable.Meta, "owner")
	write.Set(pagetable.Meta, "owner", 0, now)
	// A range, since a filter for a value is a pattern.
	equal := bigtable.ChainFilters(append(cell, bigtable.ValueRangeFilter(was, append(slices.Clone(was), 0)))...)
	m := bigtable.NewCondMutation(equal, write, nil)
	if was == nil {
		m = bigtable.NewCondMutation(bigtable.ChainFilters(cell...), nil, write)
	}
	var matched bool
	if err := s.table.Apply(ctx, key, m, bigtable.GetCondMutationResult(&matched)); err != nil {
		return false, fault(err)
	}
	return matched == (was != nil), nil
}

// fault classifies an error of the client.
func fault(err error) error {
	switch code := status.Code(err); code {
	case codes.OK:
		return nil
	case codes.InvalidArgument, codes.OutOfRange:
		return &pagetable.RefusedError{Reason: status.Convert(err).Message()}
	case codes.NotFound:
		return fmt.Errorf("%w: the table is missing", pagetable.ErrReplaced)
	case codes.PermissionDenied, codes.Unauthenticated, codes.FailedPrecondition, codes.Unimplemented:
		return fmt.Errorf("the store of pages refuses the request: %w: grant the role roles/bigtable.user, and roles/bigtable.admin for the first start", err)
	default:
		return fmt.Errorf("%w: %w", pagetable.ErrAway, err)
	}
}
