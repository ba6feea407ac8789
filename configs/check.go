package configs

import (
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
)

// check finds what is wrong between values that are right by themselves.
func (r *reader) check() {
	r.checkListen()
	for i := range r.config.Sources {
		r.checkSource(&r.config.Sources[i])
	}
	for i := range r.config.Tables {
		r.checkTable(&r.config.Tables[i])
	}
}

// wrong notes a fault at a path.
func (r *reader) wrong(path, what, do string) {
	_, line := r.config.At(path)
	r.fault(place{path, line, do}, what)
}

func (r *reader) checkListen() {
	listen := r.config.HTTP.Listen
	if listen == "" {
		return
	}
	host, port, err := net.SplitHostPort(listen)
	_, portErr := strconv.ParseUint(port, 10, 16)
	isHost := regexp.MustCompile(`^[0-9A-Za-z.:%_-]*$`).MatchString(host)
	if err != nil || portErr != nil || !isHost {
		r.wrong("http.listen", "not a host and a port", "write host:port such as 127.0.0.1:7700, an IPv6 host in [ ]")
		return
	}
	// Whoever reaches the address may read everything.
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		r.wrong("http.listen", "others than this machine could reach it, and this version knows no tokens", "listen on 127.0.0.1 and put a proxy that asks who is there before it")
	}
}

func (r *reader) checkSource(s *Source) {
	path := join(join("sources", s.Name), "dsn")
	if s.dsnFile != "" && s.DSN == "" {
		path += "_file"
		dsn, wrong := r.readDSN(s.dsnFile)
		if wrong != "" {
			r.wrong(path, wrong, "name a file of one line that only its owner can read (chmod 600)")
			return
		}
		s.DSN = dsn
	}
	if s.DSN == "" {
		return // already reported
	}
	if wrong, do := checkDSN(s.Driver, s.DSN); wrong != "" {
		r.wrong(path, wrong, do)
	}
}

func (r *reader) checkTable(t *Table) {
	path := join("tables", t.Name)
	if t.Name == "lock" {
		r.wrong(path, "reserved name", "call the table otherwise: the daemon's lock file has this name")
	}
	r.checkSourceName(join(path, "source"), t.Source)
	for _, m := range t.Metadata {
		if m.Name == "content" {
			r.wrong(join(path, "metadata.content"), "reserved name", "rename the column in the SQL with AS: queries call the whole text content")
		}
	}
	r.checkTiers(join(path, "compensate.tiers"), t.Compensate.Tiers)
	r.checkTransactionTimeout(path, t)
}

func (r *reader) checkSourceName(path, name string) {
	var names []string
	for _, s := range r.config.Sources {
		names = append(names, s.Name)
	}
	if name == "" || len(names) == 0 || slices.Contains(names, name) {
		return
	}
	r.wrong(path, "unknown source"+didYouMean(name, names), "name one of the sources")
}

func (r *reader) checkTiers(path string, tiers []Tier) {
	pattern := regexp.MustCompile(tierName)
	seen := map[string]bool{}
	for i, tier := range tiers {
		path := fmt.Sprintf("%s[%d]", path, i)
		switch {
		case tier.Name == "": // its every is already reported
		case !pattern.MatchString(tier.Name):
			r.wrong(join(path, "name"), "bad name", "write letters, digits, ., _ and -, beginning with a letter or digit")
		case tier.Name == "exact":
			r.wrong(join(path, "name"), "reserved name", "call the tier otherwise: the exact horizon's pass has this name")
		case seen[tier.Name]:
			r.wrong(join(path, "name"), "two tiers of one name", "give one of them another name")
		}
		seen[tier.Name] = true
		if tier.Timeout > 0 && tier.End > tier.Timeout {
			r.wrong(join(path, "end"), "longer than the timeout", "write latest, settled, or a duration no longer than the timeout")
		}
	}
}

// checkTransactionTimeout: rows of transactions that stay open longer than the
// last tier looks back would never be found by a tier.
func (r *reader) checkTransactionTimeout(path string, t *Table) {
	tiers := t.Compensate.Tiers
	if len(tiers) == 0 || tiers[len(tiers)-1].Timeout == 0 {
		return
	}
	if t.TransactionTimeout > tiers[len(tiers)-1].Timeout {
		r.wrong(join(path, "transaction_timeout"), "longer than the last tier's timeout", "give the last tier this timeout")
	}
}
