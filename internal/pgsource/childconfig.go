package pgsource

import (
	"context"
	"fmt"
	"slices"
)

// ChildConfig says what one child or extra is: rows that belong to a document.
type ChildConfig struct {
	Name    string
	Path    string // of its configuration, as children.actors
	SQL     string
	Key     []string // the columns that hold the parent's key
	Updated string   // "": none
	Unit    string   // of an Updated that is a number; "": its rows tell it
	Columns []string // that go into the content, so they must exist
	Value   bool     // the SQL returns one column beside key and updated, as an extra does
}

// A child is the view of a child's SQL.
type child struct {
	view
	name string
	path string
}

func newChild(ctx context.Context, x *tx, cfg ChildConfig, parent key, updated updatedConfig) (*child, error) {
	at := paths{cfg.Path + ".sql", cfg.Path + ".key", cfg.Path + ".updated"}
	v, err := newView(ctx, x, wrap(cfg.SQL), cfg.Key, updated, at)
	if err != nil {
		return nil, err
	}
	if err := v.sameKey(parent, at.key); err != nil {
		return nil, err
	}
	for _, name := range cfg.Columns {
		if _, err := find(v.columns, cfg.Path+".content", name); err != nil {
			return nil, err
		}
	}
	if values := v.values(cfg); cfg.Value && len(values) != 1 {
		return nil, &ConfigError{
			Field: at.sql,
			What:  fmt.Sprintf("it returns %d columns beside key and updated, want 1", len(values)),
			Do:    "return one value a row",
		}
	}
	return &child{view: v, name: cfg.Name, path: cfg.Path}, nil
}

// values returns the columns that are neither key nor updateTime.
func (v view) values(cfg ChildConfig) []string {
	var values []string
	for _, name := range v.names {
		if name != cfg.Updated && !slices.Contains(cfg.Key, name) {
			values = append(values, name)
		}
	}
	return values
}

// fault names the child that an error is about.
func (c *child) fault(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("child %s: %w", c.name, err)
}
