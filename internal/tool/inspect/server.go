package inspect

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/doc"
)

// Server checks a database server, and reports whether it answers.
func (c *Check) Server(ctx context.Context, source configs.Source, db Server) bool {
	ctx, cancel := context.WithTimeout(ctx, TableWithin)
	defer cancel()
	path := "sources." + source.Name
	d, err := db.Server(ctx)
	if err != nil {
		what, do := NoAnswer(ctx, source.Driver, db.Address(), err)
		c.add(unreachable, path, what, do)
		return false
	}
	c.servers[source.Name] = d
	c.add(serverFound, path, introduce(db.Address(), d), nothing)
	c.connection(path, d)
	for _, note := range source.Notes {
		c.add(addressRead, path+".dsn", note, nothing)
	}
	if d.Pooled {
		c.add(pooler, path+".dsn", "the connection leads through a connection pooler, which may have several servers: no horizon is exact", "name the server itself in dsn")
	}
	if d.Mixed != "" {
		c.add(noSnapshots, path, "the database does not allow the isolation level SNAPSHOT: a document may show two moments until the next comparison", d.Mixed)
	}
	if d.Role == "" {
		return true
	}
	c.clock(path, time.Since(d.Now))
	if d.Superuser {
		c.add(superuser, path, fmt.Sprintf("the %s %s %s, but only needs SELECT", d.Advice.Account, d.Role, d.Advice.Super), readerRole(d.Advice, "the indexed tables"))
	}
	if !d.SeesTransactions {
		c.add(statsHidden, path, fmt.Sprintf("the %s %s can't see when transactions of other %[1]ss began: the settled time may advance later", d.Advice.Account, d.Role), d.Advice.Sight)
	}
	return true
}

func introduce(address string, d doc.Server) string {
	what := fmt.Sprintf("%s at %s answers", d.Version, address)
	if d.Role == "" {
		return what
	}
	switch {
	case d.TLS != "" && d.Verified:
		what += ", over " + d.TLS + " with a verified certificate"
	case d.TLS != "":
		what += ", over " + d.TLS
	case d.Remote:
		what += ", over a network without encryption"
	default:
		what += ", on this machine"
	}
	return what + ", with the " + d.Advice.Account + " " + d.Role
}

func (c *Check) connection(path string, d doc.Server) {
	switch {
	case !d.Remote || d.Verified:
	case d.TLS == "":
		c.add(noTLS, path+".dsn", "rows and password cross a network without encryption", d.Advice.Verify)
	default:
		c.add(tlsUnverified, path+".dsn", "the server's certificate is not verified: an attacker in the network could pose as the server", d.Advice.Verify)
	}
}

// clocksApart is the difference of the clocks of database and daemon from which
// it is a warning. Windows use the database's clock only.
const clocksApart = 5 * time.Second

func (c *Check) clock(path string, behind time.Duration) {
	k, do := clockRead, nothing
	if behind.Abs() > clocksApart {
		k, do = clockOffset, "synchronize both clocks with NTP; windows use the database's"
	}
	c.add(k, path, fmt.Sprintf("the database's clock is %s this machine's", apart(behind)), do)
}

// apart describes the difference of two clocks.
func apart(behind time.Duration) string {
	switch d := behind.Abs().Round(10 * time.Millisecond); {
	case d < 100*time.Millisecond:
		return "less than 0.1 s from"
	case behind > 0:
		return fmt.Sprintf("%v behind", d)
	default:
		return fmt.Sprintf("%v ahead of", d)
	}
}

// rights collects the tables that the role can write.
func (tc *tableCheck) rights() error {
	names, err := tc.Rows.Writable(tc.ctx)
	tc.writable[tc.Conf.Source] = append(tc.writable[tc.Conf.Source], names...)
	return tc.planned(err)
}

// canWrite reports the tables of a source that its role can write, except for a
// superuser, who can write all.
func (c *Check) canWrite(source string) {
	names := slices.Compact(slices.Sorted(slices.Values(c.writable[source])))
	d := c.servers[source]
	if len(names) == 0 || d.Superuser {
		return
	}
	c.add(canWrite, "sources."+source, fmt.Sprintf("the %s %s can also write %s", d.Advice.Account, d.Role, strings.Join(names, ", ")), readerRole(d.Advice, names...))
}

// readerRole returns the statements that create a role with SELECT only.
func readerRole(a doc.Advice, tables ...string) string {
	do := "use a separate " + a.Account + ": " + a.Reader
	for _, t := range tables {
		do += "; " + fmt.Sprintf(a.Read, t)
	}
	return do
}
