package leader

import (
	"context"
	"errors"
	"fmt"

	"indexerd/configs"
	"indexerd/internal/serve/database"
	"indexerd/internal/state/etcd"
)

// Fingerprint identifies what decides which rows and documents are stored where. A
// daemon with another one would take the work of the daemon before apart. It has no
// addresses, secrets and schedules, which may differ between machines, and no defaults of
// a version, so that daemons can be updated one after the other.
func Fingerprint(cfg *configs.Config) string {
	parts := []string{"index", cfg.Index.Engine, cfg.Index.Prefix, fmt.Sprint(cfg.Index.Source), "pages", cfg.PageStore.Name(), "bloom", cfg.Bloom.Engine, cfg.Bloom.Key}
	for _, s := range cfg.Sources {
		parts = append(parts, "source", s.Name, s.Driver)
	}
	for _, t := range cfg.Tables {
		parts = append(parts, "table", t.Name, t.SourceFingerprint(), t.SQLFingerprint(), fmt.Sprint(database.Mapping(t).Fingerprint()), t.ACL, t.Changes,
			fmt.Sprint(t.RowKey, t.Limits.Text, t.Limits.Words, t.Limits.Distinct, t.Pages.Versions, t.DeleteCheck.MaxCount, t.DeleteCheck.MaxFraction))
	}
	return configs.Fingerprint(parts...)
}

// Configured takes the configuration of the engine that is opened now.
func (s *Shared) Configured(cfg *configs.Config) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.configuration = Fingerprint(cfg)
}

// differs returns why this daemon must not lead after the one that has written values of
// place; "" if it can.
func (s *Shared) differs(values map[string][]byte) string {
	if moved := movedAway(s.Client.Prefix, values); moved != nil {
		return moved.Error()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := string(values["configuration"]); last == "" || last == s.configuration {
		return ""
	}
	return "its configuration differs from that of the daemon that led last: make both equal, and run systemctl reload indexerd, or restart it while no daemon leads"
}

// Inspect finds out whether this daemon may lead.
func (s *Shared) Inspect(ctx context.Context) error {
	err := s.Client.CheckFormat(ctx)
	if errors.Is(err, etcd.ErrFormat) {
		s.judge(err.Error())
		return nil
	}
	var values map[string][]byte
	if err == nil {
		values, err = s.Client.Read(ctx, "place/")
	}
	if err == nil {
		s.judge(s.differs(values))
	}
	return err
}

// judge records why this daemon must not lead; "": it may.
func (s *Shared) judge(unfit string) { s.Describe(func(m *etcd.Member) { m.Unfit = unfit }) }

// Describe changes what the members see of this daemon.
func (s *Shared) Describe(change func(*etcd.Member)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.member
	if change(&s.member); s.member != before {
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

// Described returns what the members see of this daemon, and what is closed when that
// changes.
func (s *Shared) Described() (etcd.Member, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.member, s.changed
}
