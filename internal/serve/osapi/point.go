package osapi

import (
	"bytes"
	"time"

	"indexerd/internal/serve/httpapi"
	"indexerd/internal/serve/osapi/input"
)

// openPoint opens a point in time. It pins the indices and the caller's token, and no
// state of the documents: a search at a point in time finds what is there when it is
// made. So pages are stable for what is not written meanwhile.
func (s server) openPoint(c *call) (any, error) {
	t, err := s.targetOf(c, "keep_alive")
	if err != nil {
		return nil, err
	}
	if !c.URL.Query().Has("keep_alive") {
		return nil, input.Error(input.InvalidRequest, "[keep_alive] of a point in time is not specified")
	}
	keep, err := keepAlive(c.URL.Query().Get("keep_alive"), "keep_alive")
	if err != nil {
		return nil, err
	}
	one, err := s.open.add(cursor{owner: c.owner(), point: true, index: c.index(), keep: keep})
	if err != nil {
		return nil, err
	}
	total := len(t.Tables) + len(t.missing)
	return map[string]any{
		"pit_id": one.id, "creation_time": one.created.UnixMilli(),
		"_shards": map[string]int{"total": total, "successful": len(t.Tables), "skipped": 0, "failed": len(t.missing)},
	}, nil
}

// pointOf finds the point in time that a search names, "" if it names none.
func (s server) pointOf(c *call) (id string, err error) {
	if len(bytes.TrimSpace(c.body)) == 0 {
		return "", nil
	}
	m, err := input.Object(c.body, "body")
	if err != nil || m["pit"] == nil {
		return "", err
	}
	pit, err := input.ObjectOf(m["pit"], "pit", "id", "keep_alive")
	if err != nil {
		return "", err
	}
	if c.PathValue("index") != "" {
		return "", input.Error(input.InvalidRequest, "[indices] cannot be used with point in time: leave the index out of the URL")
	}
	if id, err = input.Scalar(pit["id"], "pit.id"); err != nil {
		return "", err
	}
	var keep time.Duration
	if pit["keep_alive"] != nil {
		text, err := input.Scalar(pit["keep_alive"], "keep_alive")
		if err != nil {
			return "", err
		}
		if keep, err = keepAlive(text, "keep_alive"); err != nil {
			return "", err
		}
	}
	one, err := s.open.get(c.owner(), id, true, keep)
	if err != nil {
		return "", err
	}
	c.point = &one
	return id, nil
}

// points lists the points in time of the caller's token.
func (s server) points(c *call) (any, error) {
	if err := checkURL(c.URL.Query(), nil); err != nil {
		return nil, err
	}
	list := []any{}
	for _, one := range s.open.of(c.owner(), true) {
		list = append(list, map[string]any{"pit_id": one.id, "creation_time": one.created.UnixMilli(), "keep_alive": one.keep.Milliseconds()})
	}
	return map[string]any{"pits": list}, nil
}

// closePoint closes points in time of the caller's token: those in the body, or all.
func (s server) closePoint(c *call) (any, error) {
	if err := checkURL(c.URL.Query(), nil); err != nil {
		return nil, err
	}
	var ids []string
	if len(bytes.TrimSpace(c.body)) == 0 {
		if c.URL.Path != "/_search/point_in_time/_all" {
			return nil, input.ParsingError("the body needs [pit_id]")
		}
		for _, one := range s.open.of(c.owner(), true) {
			ids = append(ids, one.id)
		}
	} else {
		m, err := input.ObjectOf(c.body, "body", "pit_id")
		if err != nil {
			return nil, err
		}
		if ids, err = input.Strings(m["pit_id"], "pit_id"); err != nil {
			return nil, err
		}
	}
	list, closed := make([]any, len(ids)), 0
	for i, id := range ids {
		ok := s.open.remove(c.owner(), id, true)
		if ok {
			closed++
		}
		list[i] = map[string]any{"pit_id": id, "successful": ok}
	}
	answer := map[string]any{"pits": list}
	if closed == 0 && len(ids) > 0 {
		return httpapi.NotFound{Body: answer}, nil
	}
	return answer, nil
}
