package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"indexerd/internal/test/etcdtest"
	"indexerd/internal/test/hbasetest"
	"indexerd/internal/test/javatest"
	"indexerd/internal/test/nodetest"
	"indexerd/internal/test/pgtest/cluster"
)

// servers are what the daemons use. A URL is empty until its server answers.
type servers struct {
	dsn, openSearch, hbase, etcd, redis string

	postgres       *cluster.Cluster
	stopOpenSearch func()
	gateway        *javatest.Program
	marks          *etcdtest.Server
	filter         *exec.Cmd
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
			s.hbase, s.gateway, err = hbasetest.Start(true)
			return s.hbase, err
		},
		"etcd": func() (_ string, err error) {
			if s.marks, err = etcdtest.Start(); err == nil {
				s.etcd = "http://" + s.marks.Endpoint
			}
			return s.etcd, err
		},
		"Redis": func() (string, error) { return s.redis, s.startRedis(ctx, dir) },
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

// startRedis starts Redis on a socket.
func (s *servers) startRedis(ctx context.Context, dir string) error {
	socket := filepath.Join(dir, "redis")
	s.redis = "unix://" + socket
	s.filter = exec.Command("redis-server", "--port", "0", "--unixsocket", socket, "--dir", dir, "--save", "", "--appendonly", "no", "--logfile", filepath.Join(dir, "redis.log"))
	s.filter.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // SIGINT of the terminal is for this process
	if err := s.filter.Start(); err != nil {
		s.filter = nil
		return err
	}
	for ctx.Err() == nil {
		if c, err := net.Dial("unix", socket); err == nil {
			return c.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	return ctx.Err()
}

// stop ends all servers that were started.
func (s *servers) stop() (err error) {
	if s.filter != nil {
		_ = s.filter.Process.Kill()
		_ = s.filter.Wait()
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
