package daemon

import (
	"golang.org/x/sync/errgroup"

	"indexerd/configs"
	"indexerd/internal/base/recovered"
	"indexerd/internal/serve/stored"
)

// takeOver makes this daemon the only one that writes, before it reads marks: etcd
// confirms the term, and then OpenSearch refuses the writes of all daemons before. So what
// an older daemon had sent to the index is there, or never will be, when the marks are
// read. It does nothing where nothing is shared.
func (h holding) takeOver(cfg *configs.Config) error {
	if h.shared == nil {
		return nil
	}
	if err := h.shared.Confirm(cfg); err != nil {
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
			return stored.FenceIndex(cfg, conf, h.shared, h.over)
		})
	}
	return fencing.Wait()
}
