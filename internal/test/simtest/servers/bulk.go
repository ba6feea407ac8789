package servers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
)

// bulk looks up the alias. The writes follow some time later.
func (t transport) bulk(alias string, body []byte, answers chan<- answer) (later func()) {
	alias, err := url.PathUnescape(alias)
	writes, parsed := parseBulk(body)
	if err != nil || parsed != nil {
		answers <- failure(http.StatusBadRequest, "parse_exception")
		return nil
	}
	items := make([]object, len(writes))
	names := t.named(alias)
	if len(names) != 1 {
		for i, w := range writes {
			items[i] = w.result(http.StatusNotFound, "index_not_found_exception", nil)
		}
		answers <- ok(object{"items": items})
		return nil
	}
	return func() {
		ix := t.indexes[names[0]]
		for i, w := range writes {
			if ix == nil {
				items[i] = w.result(http.StatusNotFound, "index_not_found_exception", nil)
				continue
			}
			items[i] = ix.write(w, func() { t.Wrote(t.by, alias, w.Document) })
		}
		answers <- ok(object{"items": items})
	}
}

// A write is one item of a bulk.
type write struct {
	verb string
	Document
}

func parseBulk(body []byte) (writes []write, err error) {
	lines := bytes.Split(bytes.TrimSuffix(body, []byte("\n")), []byte("\n"))
	for i := 0; i < len(lines); i++ {
		var action map[string]struct {
			ID      string `json:"_id"`
			Version uint64
			Type    string `json:"version_type"`
		}
		if err := json.Unmarshal(lines[i], &action); err != nil {
			return nil, err
		}
		for verb, a := range action {
			w := write{verb, Document{ID: a.ID, Version: a.Version, Removed: verb == "delete"}}
			if a.Type != "external_gte" {
				return nil, errors.New("a version that is not external_gte")
			}
			if verb == "index" {
				var source struct{ Ix struct{ Key string } }
				if i++; i == len(lines) {
					return nil, io.ErrUnexpectedEOF
				}
				if err := json.Unmarshal(lines[i], &source); err != nil {
					return nil, err
				}
				w.Source, w.Key = lines[i], source.Ix.Key
			}
			writes = append(writes, w)
		}
	}
	return writes, nil
}

// write makes one write, unless the index has a higher version.
func (ix *index) write(w write, accepted func()) object {
	was, known := ix.docs[w.ID]
	if w.Version < was.Version {
		return w.result(http.StatusConflict, "version_conflict_engine_exception", nil)
	}
	sequence := ix.operations
	ix.operations++
	ix.docs[w.ID] = w.Document
	accepted()
	if w.Removed && (!known || was.Removed) {
		item := w.result(http.StatusNotFound, "", &sequence)
		item[w.verb].(object)["result"] = "not_found"
		return item
	}
	return w.result(http.StatusOK, "", &sequence)
}

func (w write) result(status int, kind string, sequence *int64) object {
	r := object{"_id": w.ID, "status": status}
	if kind != "" {
		r["error"] = object{"type": kind}
	}
	if sequence != nil {
		r["_seq_no"], r["_primary_term"] = *sequence, 1
	}
	return object{w.verb: r}
}
