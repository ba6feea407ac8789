package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sync/errgroup"

	"indexerd/internal/test/etcdtest"
	"indexerd/internal/test/hbasetest"
	"indexerd/internal/test/nodetest"
	"indexerd/internal/test/pgtest/cluster"
	"indexerd/internal/test/redistest"
)

// servers are what the daemons use. A URL is empty until its server answers.
type servers struct {
	dsn, openSearch, hbase, etcd, redis string

	postgres       *cluster.Cluster
	stopOpenSearch func()
	gateway        *hbasetest.Server
	marks          *etcdtest.Server
	filter         *redistest.Server
}

// start starts all servers, at once, and returns when they answer.
func (s *servers) start(ctx context.Context, dir string) error {
	var group errgroup.Group
	for name, start := range map[string]func() (url string, err error){
		"PostgreSQL": func() (_ string, err error) {
			if s.postgres, err = cluster.Start(ctx); err == nil {
				s.dsn = s.postgres.DSN()
			}
			return s.dsn, err
		},
		"OpenSearch": func() (_ string, err error) {
			s.openSearch, s.stopOpenSearch, err = nodetest.Start()
			return s.openSearch, err
		},
		"HBase": func() (_ string, err error) {
			if s.gateway, err = hbasetest.Start(true); err == nil {
				s.hbase = s.gateway.URL
			}
			return s.hbase, err
		},
		"etcd": func() (_ string, err error) {
			if s.marks, err = etcdtest.Start(); err == nil {
				s.etcd = "http://" + s.marks.Endpoint
			}
			return s.etcd, err
		},
		"Redis": func() (_ string, err error) {
			if s.filter, err = redistest.Start(); err == nil {
				s.redis = s.filter.URL
			}
			return s.redis, err
		},
	} {
		fmt.Printf("starting %s\n", name)
		group.Go(func() error {
			url, err := start()
			if err != nil {
				return fmt.Errorf("start %s: %w", name, err)
			}
			fmt.Printf("%s answers at %s\n", name, url)
			return ctx.Err()
		})
	}
	return group.Wait()
}

// stop ends all servers that were started.
func (s *servers) stop() (err error) {
	if s.filter != nil {
		s.filter.Stop()
	}
	if s.marks != nil {
		s.marks.Stop()
	}
	if s.gateway != nil {
		s.gateway.Stop()
	}
	if s.stopOpenSearch != nil {
		s.stopOpenSearch()
	}
	if s.postgres != nil {
		err = s.postgres.Stop()
	}
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return err
}
