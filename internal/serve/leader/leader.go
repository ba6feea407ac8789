// Package leader has what daemons share in etcd, and decides which of them leads:
// marks, quarantine and the removals that guards count are read by all of them and
// written by the one that leads. docs/standby.md says what a user sees of it.
//
// A daemon leads for a term. Each write of a term needs the lease of its session, so
// that a leader that was paused writes nothing once another one leads. A daemon whose
// configuration differs from that of the last leader, or whose release is too old for
// the keys, does not stand for election.
package leader

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"indexerd/configs"
	"indexerd/internal/base/release"
	"indexerd/internal/index/opensearch"
	"indexerd/internal/pages/pagetable"
	"indexerd/internal/serve/datadir"
	"indexerd/internal/state/etcd"
	"indexerd/timetrace"
)

// Shared is what daemons share in etcd: marks, quarantine, the removals that the guard
// counts, and the id by which index and pages know them. One of them leads.
//
//	place/owner          the id by which index and pages know the daemons
//	place/last           id of the data directory whose daemon led last
//	place/moved          set: the marks don't count, since a move or a restore was cut, or a file has them
//	place/configuration  fingerprint of the configuration of the daemon that led last
//	marks/TABLE          the lines of timeTrace
//	quarantine/TABLE/    the rows in quarantine
//	guard/TABLE          removals of the last hour
//
// Each data directory has files of a load or a sweep under way, which continue what its
// own daemon has begun. They are removed when another daemon has led since.
type Shared struct {
	Client *etcd.Client
	data   string
	ID     string // of the data directory

	takeovers atomic.Uint64 // terms that this daemon has begun

	mu            sync.Mutex
	owner         string
	configuration string                       // fingerprint of what this daemon is configured with
	member        etcd.Member                  // what the members see of this daemon
	changed       chan struct{}                // closed when member changes
	yields        bool                         // the term ends so that another daemon can lead
	yielding      time.Time                    // until then another daemon is elected first
	led           *etcd.Term                   // nil: another daemon leads, or may
	seen          map[string]map[string][]byte // what was read or written last
}

// EtcdConfig returns how etcd is reached.
func EtcdConfig(x configs.Marks) etcd.Config {
	c := etcd.Config{Endpoints: x.Endpoints, Prefix: x.Prefix, User: x.User, Password: x.Password}
	if strings.HasPrefix(x.Endpoints[0], "https:") {
		c.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
		if x.CA != nil {
			c.TLS.RootCAs = x509.NewCertPool()
			c.TLS.RootCAs.AppendCertsFromPEM(x.CA)
		}
	}
	return c
}

// Connect connects to etcd, if the configuration has its marks there.
func Connect(ctx context.Context, cfg *configs.Config) (*Shared, error) {
	if !cfg.Marks.Shared() {
		return nil, nil //nolint:nilnil // nothing is shared
	}
	id, err := datadir.ID(cfg.Data)
	if err != nil {
		return nil, err
	}
	s, err := Dial(ctx, cfg, id)
	if err != nil {
		return nil, err
	}
	if err := s.checkMarksShared(ctx, cfg); err != nil {
		return nil, errors.Join(err, s.Client.Close())
	}
	return s, nil
}

// Dial connects to etcd for the data directory with an id.
func Dial(ctx context.Context, cfg *configs.Config, id string) (*Shared, error) {
	client, err := EtcdConfig(cfg.Marks).Open(ctx)
	if err != nil {
		return nil, err
	}
	return New(client, cfg, id), nil
}

// New returns what the daemon of the data directory with an id shares.
func New(client *etcd.Client, cfg *configs.Config, id string) *Shared {
	host, _ := os.Hostname() // is shown only
	return &Shared{
		Client: client, data: cfg.Data, ID: id, configuration: Fingerprint(cfg), changed: make(chan struct{}), seen: map[string]map[string][]byte{},
		member: etcd.Member{Name: host, Address: cfg.HTTP.Listen, Started: time.Now().UTC(), Unreached: notLooked},
	}
}

// Close ends the term at once, so that another daemon can lead.
func (s *Shared) Close() error { return errors.Join(s.Resign(), s.Client.Close()) }

// leaveWithin limits how long a daemon waits for etcd at its end.
const leaveWithin = 3 * time.Second

// Resign ends the term. If etcd does not answer, the lease expires.
func (s *Shared) Resign() error {
	s.mu.Lock()
	term := s.led
	s.led = nil
	s.mu.Unlock()
	if term == nil {
		return nil
	}
	err := leave(term.Session)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.yields {
		s.yields, s.yielding = false, time.Now().Add(YieldFor)
	}
	return err
}

func leave(session *etcd.Session) error {
	ctx, cancel := context.WithTimeout(context.Background(), leaveWithin)
	defer cancel()
	err := session.Leave(ctx)
	if errors.Is(err, etcd.ErrAway) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}

// Term returns the term of this daemon; nil if it does not lead.
func (s *Shared) Term() *etcd.Term {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.led
}

// IsDeposed reports whether an error means that another daemon leads, or may. Index and
// pages that refuse a daemon have been opened by another one since. If that one is of
// another prefix, they belong to another owner when this daemon leads again, and it ends.
func (s *Shared) IsDeposed(err error) bool {
	return s != nil && (errors.Is(err, etcd.ErrLost) || errors.Is(err, opensearch.ErrFenced) || errors.Is(err, pagetable.ErrFenced))
}

// A part is what is shared under one name. It is a store of marks and of a quarantine.
type part struct {
	*Shared
	under string
}

// readWithin limits how long marks and quarantine are read.
const readWithin = time.Minute

// Read returns the values of the part, while etcd does not answer those that were seen last.
func (p part) Read() (map[string][]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), readWithin)
	defer cancel()
	values, err := p.Client.Read(ctx, p.under)
	p.mu.Lock()
	defer p.mu.Unlock()
	if seen, ok := p.seen[p.under]; ok && errors.Is(err, etcd.ErrAway) {
		return maps.Clone(seen), nil
	}
	if err == nil {
		p.seen[p.under] = maps.Clone(values)
	}
	return values, err
}

// Write writes values of the part, if this daemon leads.
func (p part) Write(values map[string][]byte) error {
	term := p.Term()
	if term == nil {
		return fmt.Errorf("%w: it is the standby", etcd.ErrLost)
	}
	changes := make(map[string][]byte, len(values))
	for name, value := range values {
		changes[p.under+name] = value
	}
	if err := term.Write(changes); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := p.seen[p.under]
	for name, value := range values {
		switch {
		case seen == nil:
		case value == nil:
			delete(seen, name)
		default:
			seen[name] = value
		}
	}
	return nil
}

func (p part) String() string { return "etcd, " + p.Client.Prefix + "/state/" + p.under }

// Forget removes what is shared of a table beside its marks.
func (s *Shared) Forget(table string) error {
	quarantine := part{s, "quarantine/" + table + "/"}
	rows, err := quarantine.Read()
	if err != nil {
		return err
	}
	for key := range rows {
		rows[key] = nil
	}
	return errors.Join(quarantine.Write(rows), part{s, "guard/"}.Write(map[string][]byte{table: nil}))
}

// OpenTrace opens the marks, which are in the file of the data directory if nothing is
// shared.
func (s *Shared) OpenTrace(cfg *configs.Config, readOnly bool) (*timetrace.Trace, error) {
	if s == nil {
		return datadir.OpenTrace(cfg, readOnly)
	}
	return timetrace.OpenIn(s.Store("marks/", readOnly), release.Version)
}

// OwnerOf returns the id by which index and pages know the daemon.
func (s *Shared) OwnerOf(cfg *configs.Config, readOnly bool) (string, error) {
	if s == nil {
		return datadir.OwnerOf(cfg, readOnly)
	}
	return s.OwnerID(), nil
}

// notLooked is what a daemon does not reach before it has asked.
const notLooked = "it has not asked databases, index and pages yet"
