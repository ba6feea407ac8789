package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Standby copies the cluster to a standby and starts its server. The cluster is
// stopped meanwhile, which ends its sessions. Copying a running cluster would
// need pg_basebackup of the same version, which not every installation has.
func (c *Cluster) Standby(ctx context.Context) (*Cluster, error) {
	standby, err := create(ctx, func(to *Cluster) error { return c.copyTo(ctx, to) })
	if err != nil {
		return nil, fmt.Errorf("start a standby: %w", err)
	}
	return standby, nil
}

// copyTo copies the data directory to another cluster, which replicates this
// one when it starts.
func (c *Cluster) copyTo(ctx context.Context, to *Cluster) error {
	if err := c.halt(ctx, "fast"); err != nil {
		return err
	}
	if err := to.run(ctx, "cp", "-R", "-p", c.data(), to.data()); err != nil {
		return err
	}
	if err := c.start(ctx); err != nil {
		return err
	}
	primary := fmt.Sprintf("primary_conninfo = 'host=127.0.0.1 port=%s user=postgres'\n", c.port)
	if err := to.appendFile("postgresql.auto.conf", primary); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to.data(), "standby.signal"), nil, 0o644)
}

// appendFile appends text to a file of the data directory.
func (c *Cluster) appendFile(name, text string) error {
	f, err := os.OpenFile(filepath.Join(c.data(), name), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
