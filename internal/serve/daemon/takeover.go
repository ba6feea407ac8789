package daemon

import (
	"fmt"

	"golang.org/x/sync/errgroup"

	"indexerd/configs"
	"indexerd/internal/base/recovered"
	"indexerd/internal/state/etcd"
)

// takeOver makes this daemon the only one that writes, before it reads marks: etcd
// confirms the term, and then OpenSearch refuses the writes of all daemons before. So what
// an older daemon had sent to the index is there, or never will be, when the marks are
// read. It does nothing where nothing is shared.
func (s *shared) takeOver(cfg *configs.Config) error {
	if s == nil {
		return nil
	}
	term := s.term()
	if term == nil {
		return fmt.Errorf("%w: it is the standby", etcd.ErrLost)
	}
	if err := term.Write(map[string][]byte{"place/configuration": []byte(configFingerprint(cfg))}); err != nil {
		return err
	}
	if cfg.Index.Engine != configs.OpenSearch {
		return nil
	}
	var fencing errgroup.Group
	fencing.SetLimit(openedAtOnce)
	for _, conf := range cfg.Tables {
		fencing.Go(func() (err error) {
			defer recovered.Into(&err)
			return s.fence(cfg, conf)
		})
	}
	return fencing.Wait()
}

// ownerID returns the id by which index and pages know the daemons.
func (s *shared) ownerID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owner
}
