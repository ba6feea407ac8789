package opensearch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// ErrUndecided is the error of Use if the cluster did not say whether the alias leads to
// the index.
var ErrUndecided = errors.New("the cluster did not answer whether the alias leads to the new index")

// An obstacle is what someone has to remove from the cluster. Until then the index is away.
type obstacle string

func (o obstacle) Error() string { return string(o) }

// Is reports that the index is away.
func (obstacle) Is(target error) bool { return target == ErrAway }

// Claim returns ErrOwner if the index in use belongs to another data directory, and may
// not be taken over. It returns an error that is ErrAway if the name is that of an index
// which is not indexerd's, such as the cluster makes when a client writes to the alias
// while it leads nowhere.
func (c Config) Claim(ctx context.Context) error {
	var answer map[string]indexState
	err := newWire(c).ask(ctx, http.MethodGet, "/"+c.Name, nil, &answer)
	if err != nil && !missing(err) {
		return fmt.Errorf("look for index %s: %w", c.Name, err)
	}
	for name, s := range answer {
		if err := c.disowns(name, s); err != nil {
			return fmt.Errorf("open index %s: %w", name, err)
		}
	}
	return nil
}

// Fence makes the cluster refuse the writes of all processes that have opened indexes of
// this owner, until Open. A daemon that takes over calls it before it reads what these
// processes have recorded.
func (c Config) Fence(ctx context.Context) error {
	var answer map[string]indexState
	w := newWire(c)
	if err := w.ask(ctx, http.MethodGet, "/"+c.Name+"-g*?allow_no_indices=true", nil, &answer); err != nil && !missing(err) {
		return fmt.Errorf("list the indexes of %s: %w", c.Name, err)
	}
	actions := []object{}
	for name, s := range answer {
		for alias := range s.Aliases {
			if c.owns(s) && strings.HasPrefix(alias, name+writeAlias) {
				actions = append(actions, object{"remove": object{"index": name, "alias": alias, "must_exist": false}})
			}
		}
	}
	if len(actions) == 0 {
		return nil
	}
	err := w.ask(ctx, http.MethodPost, "/_aliases", object{"actions": actions}, nil)
	if err != nil && !missing(err) { // deleted meanwhile, with its alias
		return fmt.Errorf("remove the write aliases of %s: %w", c.Name, err)
	}
	return nil
}

// disowns returns why an index may not be opened.
func (c Config) disowns(name string, s indexState) error {
	switch owner := s.Mappings.Meta.Indexerd.Owner; {
	case c.owns(s):
		return nil
	case owner != "":
		return ErrOwner
	case name == c.Name:
		return obstacle("it is not an index of indexerd: delete it, so that its name can be an alias")
	}
	return obstacle("it is not an index of indexerd: remove the alias " + c.Name + " from it")
}

// owns reports whether an index may be opened: that of this data directory, or, if it is
// taken over, of another one.
func (c Config) owns(s indexState) bool {
	owner := s.Mappings.Meta.Indexerd.Owner
	return owner == c.Owner || owner != "" && c.TakeOver
}

// Serve shows clients of the cluster what was written, and later writes within a second.
// It comes before Use, so that no client finds a part of a new index. Before it, a new index is
// refreshed by searches of indexerd alone: a load that is refreshed every second takes a
// third more of the cluster. It changes no interval that an operator has set.
func (ix *Index) Serve(ctx context.Context) error {
	if !ix.unserved.Load() {
		return nil
	}
	err := ix.wire.ask(ctx, http.MethodPut, "/"+ix.name+"/_settings", object{"index": object{"refresh_interval": refresh}}, nil)
	if err != nil {
		return fmt.Errorf("set refresh_interval of index %s: %w", ix.name, err)
	}
	if err := ix.refresh(); err != nil {
		return fmt.Errorf("refresh index %s: %w", ix.name, err)
	}
	ix.unserved.Store(false)
	return nil
}

// Use makes the alias lead to the index, in one step. After an error other than
// ErrUndecided it leads where it did.
func (ix *Index) Use(ctx context.Context) error {
	alias := ix.config.Name
	actions := []object{
		{"remove": object{"index": alias + "-g*", "alias": alias, "must_exist": false}},
		{"add": object{"index": ix.name, "alias": alias}},
	}
	err := ix.wire.ask(ctx, http.MethodPost, "/_aliases", object{"actions": actions}, nil)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("alias %s: %w", alias, err)
	var status *statusError
	if errors.As(err, &status) && status.status/100 == 4 {
		return err
	}
	switch used, lookErr := ix.used(ctx); {
	case lookErr != nil:
		return fmt.Errorf("%w: %w", ErrUndecided, err)
	case used:
		return nil
	}
	return err
}

// used reports whether the alias leads to the index.
func (ix *Index) used(ctx context.Context) (bool, error) {
	var answer map[string]struct{}
	err := ix.wire.ask(ctx, http.MethodGet, "/_alias/"+ix.config.Name, nil, &answer)
	if missing(err) {
		return false, nil
	}
	_, ok := answer[ix.name]
	return ok, err
}

// Remove deletes an index that is closed.
func (ix *Index) Remove(ctx context.Context) error {
	err := ix.wire.ask(ctx, http.MethodDelete, "/"+ix.name, nil, nil)
	if err != nil && !missing(err) {
		return fmt.Errorf("remove index %s: %w", ix.name, err)
	}
	return nil
}

// Clean deletes the indexes that may be opened and to which the alias does not lead: what crashes
// have left, and what was taken over.
func (c Config) Clean(ctx context.Context) error {
	var answer map[string]indexState
	w := newWire(c)
	if err := w.ask(ctx, http.MethodGet, "/"+c.Name+"-g*?allow_no_indices=true", nil, &answer); err != nil && !missing(err) {
		return fmt.Errorf("list the indexes of %s: %w", c.Name, err)
	}
	for name, s := range answer {
		if _, used := s.Aliases[c.Name]; used || !c.owns(s) {
			continue
		}
		if err := w.ask(ctx, http.MethodDelete, "/"+name, nil, nil); err != nil && !missing(err) {
			return fmt.Errorf("remove index %s: %w", name, err)
		}
	}
	return nil
}
