package inspect

import (
	"fmt"
	"net/url"
	"strings"
)

// An Index is what Check.Index needs of the cluster that holds the indexes.
type Index struct {
	Version string   // product and version of the cluster
	Tested  bool     // indexerd's tests have run on it
	Refused []string // requests that it refuses, each with the privilege that it needs
	Owned   []string // tables whose index belongs to another data directory
	Err     error    // why the cluster can't be asked; nil if it can

	// The privileges that a user needs: for the cluster, and on the indexes.
	ClusterRights, IndexRights []string
}

// Index checks the cluster that holds the indexes.
func (c *Check) Index(x Index) {
	for _, node := range c.cfg.Index.URLs {
		if u, err := url.Parse(node); err == nil && u.Scheme == "http" && !loopback(u.Hostname()) {
			c.add(noTLS, "index.url", "documents and the password cross the network without encryption", "write https://, and ca_file if the certificate is your own")
			break
		}
	}
	if x.Err != nil {
		c.add(indexUnreachable, "index.url", oneLine(x.Err), "start the cluster, or correct url, user or ca_file")
		return
	}
	c.add(indexFound, "index.url", fmt.Sprintf("%s answers; its user needs %s, and on the indexes and aliases %s* %s", x.Version, strings.Join(x.ClusterRights, ", "), c.cfg.Index.Prefix, strings.Join(x.IndexRights, ", ")), nothing)
	if !x.Tested {
		c.add(indexUntested, "index.url", "indexerd's tests have not run on "+x.Version, "compare often: indexerd verify --content, or use OpenSearch 2 or 3")
	}
	for _, what := range x.Refused {
		c.add(indexDenied, "index.user", what, "grant it on the indexes "+c.cfg.Index.Prefix+"*")
	}
	for _, table := range x.Owned {
		c.add(indexOwned, "tables."+table, fmt.Sprintf("the index %s%s belongs to another data directory", c.cfg.Index.Prefix, table), "write another prefix, or end the other daemon and run indexerd run --take-over")
	}
	if c.cfg.Index.Replicas == 0 {
		c.add(indexOneCopy, "index.replicas", "new indexes have one copy: if its disk is lost, so is the index", "write replicas: 1 if the cluster has several nodes")
	}
}

// Marks reports that marks can't be read in etcd.
func (c *Check) Marks(err error) {
	c.add(marksUnreachable, "marks.endpoints", oneLine(err), "start etcd, or correct endpoints, user, prefix or ca_file")
}

// MarksMoved reports that the marks are in another place, or on the way to one.
func (c *Check) MarksMoved(err error) {
	c.add(marksMoved, "marks", oneLine(err), "run `indexerd move` again if it was cut, or write the place that has the marks")
}

func loopback(host string) bool {
	return host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.")
}
