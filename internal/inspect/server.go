package inspect

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"indexerd/configs"
	"indexerd/internal/doc"
)

// Server looks at a database as a whole, and reports whether it answers.
func (c *Check) Server(ctx context.Context, source configs.Source, db Server) bool {
	ctx, cancel := context.WithTimeout(ctx, TableWithin)
	defer cancel()
	path := "sources." + source.Name
	d, err := db.Server(ctx)
	if err != nil {
		c.add(unreachable, path, oneLine(err), fmt.Sprintf("start the database at %s, or mend the address", db.Address()))
		return false
	}
	c.servers[source.Name] = d
	c.add(serverFound, path, introduce(db.Address(), d), nothing)
	c.connection(path, d)
	if d.Role == "" {
		return true
	}
	c.clock(path, time.Since(d.Now))
	if d.Superuser {
		c.add(superuser, path, fmt.Sprintf("the role %s is a superuser, and SELECT is all that is needed", d.Role), ownRole("the tables that are indexed"))
	}
	if !d.Sees {
		c.add(statsHidden, path, fmt.Sprintf("the role %s may not see when transactions of others began: what is settled may follow later", d.Role),
			fmt.Sprintf("GRANT pg_read_all_stats TO %s", d.Role))
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
		what += ", over " + d.TLS + " with a certificate that was checked"
	case d.TLS != "":
		what += ", over " + d.TLS
	case d.Remote:
		what += ", over a network"
	default:
		what += ", on this machine"
	}
	return what + ", to the role " + d.Role
}

func (c *Check) connection(path string, d doc.Server) {
	const do = "add sslmode=verify-full to the DSN, and sslrootcert=FILE where the authority is your own"
	switch {
	case !d.Remote || d.Verified:
	case d.TLS == "":
		c.add(noTLS, path+".dsn", "rows and password travel over a network, and nothing is encrypted", do)
	default:
		c.add(tlsUnverified, path+".dsn", "the server's certificate is not checked: whoever stands between can be the server", do)
	}
}

// clocksApart is how far the clocks of database and daemon may differ before
// it is worth a warning. Nothing depends on it: windows are on the database's.
const clocksApart = 5 * time.Second

func (c *Check) clock(path string, behind time.Duration) {
	k, do := clockRead, nothing
	if behind.Abs() > clocksApart {
		k, do = clockOffset, "set both by NTP; windows follow the database's"
	}
	c.add(k, path, fmt.Sprintf("its clock is %s this machine's", apart(behind)), do)
}

// apart says how far a clock is from another one.
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

// rights gathers what the role could also write.
func (l *look) rights() error {
	names, err := l.Rows.Writable(l.ctx)
	l.writable[l.Conf.Source] = append(l.writable[l.Conf.Source], names...)
	return err
}

// canWrite says of all tables of a source what its role could also write. A
// superuser could write them all.
func (c *Check) canWrite(source string) {
	names := slices.Compact(slices.Sorted(slices.Values(c.writable[source])))
	d := c.servers[source]
	if len(names) == 0 || d.Superuser {
		return
	}
	all := strings.Join(names, ", ")
	c.add(canWrite, "sources."+source, fmt.Sprintf("the role %s may also write %s", d.Role, all), ownRole(all))
}

// ownRole is what makes a role with no right too many.
func ownRole(tables string) string {
	return fmt.Sprintf("read as a role of its own: CREATE ROLE indexerd_reader LOGIN; GRANT SELECT ON %s TO indexerd_reader", tables)
}
