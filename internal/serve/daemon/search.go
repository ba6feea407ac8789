package daemon

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"indexerd/configs"
	"indexerd/internal/base/doc"
	"indexerd/internal/index/fulltext"
	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/stored"
	"indexerd/internal/serve/tables"
)

// Search answers a search in one table, or in all tables.
func (e *Engine) Search(ctx context.Context, name string, p search.Params) (search.Results, error) {
	if name == search.AllTables {
		return e.SearchTables(ctx, e.Tables(p.Caller), p)
	}
	return again(func() (search.Results, error) { return e.searchTable(ctx, name, p) })
}

// Tables lists the tables that a caller may see, in the order of the configuration.
func (e *Engine) Tables(c search.Caller) []string {
	names := make([]string, 0, len(e.tables))
	for _, t := range e.tables {
		if c.Sees(t.Conf.Name) {
			names = append(names, t.Conf.Name)
		}
	}
	return names
}

// SearchTables answers a search in some tables.
func (e *Engine) SearchTables(ctx context.Context, names []string, p search.Params) (search.Results, error) {
	return again(func() (search.Results, error) { return e.searchTables(ctx, names, p) })
}

// again makes a search, and a second time if a reindex has just swapped the index.
func again(find func() (search.Results, error)) (search.Results, error) {
	tables.Searched()
	a, err := find()
	if errors.Is(err, fulltext.ErrClosed) {
		a, err = find()
	}
	if stored.IsAway(err) || stored.IsReplaced(err) {
		err = &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: configs.Message(err), Hint: "ask again when it does"}
	}
	if stored.IsIndexDamaged(err) || errors.As(err, new(*fulltext.BrokenError)) {
		err = &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: configs.Message(err), Hint: "the daemon rebuilds a damaged index from the pages: ask again later"}
	}
	return a, err
}

func (e *Engine) searchTable(ctx context.Context, name string, p search.Params) (search.Results, error) {
	t, err := e.searchable(name, p.Caller)
	if err != nil {
		return search.Results{}, err
	}
	if p.Caller, err = t.Caller(p.Caller); err != nil {
		return search.Results{}, err
	}
	return t.Searcher().Search(ctx, p)
}

// searchTables searches, in this order, those tables that have ended their load. Each sees the caller
// as in a search in that table alone.
func (e *Engine) searchTables(ctx context.Context, names []string, p search.Params) (search.Results, error) {
	var parts []search.Part
	var missing []string
	for _, name := range names {
		t := e.table(name)
		if t == nil || !p.Caller.Sees(name) {
			continue
		}
		part, ready := e.part(t, p.Caller)
		if !ready {
			missing = append(missing, t.Conf.Name)
			continue
		}
		parts = append(parts, part)
	}
	return search.SearchAll(ctx, parts, missing, p)
}

// part returns a table as a search in several tables searches it for a caller; false if it
// is not ready.
func (e *Engine) part(t *tables.Table, c search.Caller) (search.Part, bool) {
	c, err := t.Caller(c)
	if marks, _ := e.trace.Table(t.Conf.Name); err != nil || !marks.Loaded || !t.IsOpen() || t.Rebuilding() {
		return search.Part{}, false
	}
	return search.Part{Searcher: t.Searcher(), Caller: c}, true
}

// Described lists the tables that a caller may search, in the order of the configuration.
func (e *Engine) Described(c search.Caller) []httpapi.TableFields {
	all := []httpapi.TableFields{}
	for _, t := range e.tables {
		if !c.Sees(t.Conf.Name) {
			continue
		}
		one := httpapi.TableFields{Table: t.Conf.Name, Fields: []search.Named{}}
		if part, ready := e.part(t, c); ready {
			one.Ready, one.Fields = true, part.Describe(part.Caller)
		}
		all = append(all, one)
	}
	return all
}

// Doc returns one document.
func (e *Engine) Doc(_ context.Context, name, key string) (search.Document, error) {
	t, oid, err := e.document(name, key)
	if err != nil {
		return search.Document{}, err
	}
	return t.Searcher().Doc(oid)
}

// OID returns the key of a document from its text.
func (e *Engine) OID(name, key string) (doc.OID, error) {
	_, oid, err := e.document(name, key)
	return oid, err
}

// document finds the table and the key that a caller names.
func (e *Engine) document(name, key string) (*tables.Table, doc.OID, error) {
	t, err := e.searchable(name, search.Caller{Admin: true})
	if err != nil {
		return nil, "", err
	}
	marks, _ := e.trace.Table(name)
	oid, err := doc.ParseOID(key, marks.Kinds)
	if err != nil {
		return nil, "", &httpapi.Error{Status: http.StatusBadRequest, Code: "bad_query", Message: err.Error()}
	}
	return t, oid, nil
}

// searchable returns a table whose index has all documents.
func (e *Engine) searchable(name string, c search.Caller) (*tables.Table, error) {
	if e.table(name) == nil || !c.Sees(name) {
		return nil, e.noTable(name, c)
	}
	t, err := e.opened(name)
	if err == nil && t.Rebuilding() {
		err = &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: name + ": " + t.WhyRebuilding(), Hint: "ask again later"}
	}
	return t, err
}

// noTable is the error of a table that does not exist for a caller.
func (e *Engine) noTable(name string, c search.Caller) error {
	return &httpapi.Error{Status: http.StatusNotFound, Code: "unknown_table", Message: "no table " + name, Hint: "there is " + strings.Join(e.Tables(c), ", ")}
}

// opened returns a table of which something is stored.
func (e *Engine) opened(name string) (*tables.Table, error) {
	t := e.table(name)
	if t == nil {
		return nil, e.noTable(name, search.Caller{Admin: true})
	}
	if !t.IsOpen() {
		return nil, &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: name + " has nothing to search yet", Hint: "see status"}
	}
	return t, nil
}
