package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Standby makes a copy of the cluster that follows it, and starts its server.
func (c *Cluster) Standby(ctx context.Context) (*Cluster, error) {
	dir, err := os.MkdirTemp(parentDir(), "indexerd-pg-")
	if err != nil {
		return nil, fmt.Errorf("start a standby: %w", err)
	}
	s := &Cluster{dir: dir}
	if err := s.follow(ctx, c); err != nil {
		s.Stop() // the reason to report is err
		return nil, fmt.Errorf("start a standby: %w", err)
	}
	return s, nil
}

func (c *Cluster) follow(ctx context.Context, primary *Cluster) error {
	if os.Geteuid() == 0 {
		if err := c.giveUpRoot(); err != nil {
			return err
		}
	}
	err := c.run(ctx, "pg_basebackup", "-D", c.data(), "-R", "-c", "fast", "-d", primary.DSN())
	if err != nil {
		return err
	}
	return c.listen(ctx)
}

// Restart stops the server as a crash would and starts it again.
func (c *Cluster) Restart(ctx context.Context) error {
	err := c.run(ctx, "pg_ctl", "-D", c.data(), "-w", "-m", "immediate", "-l", filepath.Join(c.dir, "log"), "restart")
	if err != nil {
		return fmt.Errorf("restart PostgreSQL: %w", err)
	}
	return nil
}
