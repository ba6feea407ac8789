package apisuite

import (
	"bufio"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// An index is what a test has written of one.
type index struct {
	mappings map[string]any
	docs     []document
}

type document struct {
	id     string
	fields map[string]any
}

// written is the indices of a test.
type written map[string]*index

// reason is why a step is not reading.
type reason string

// quiet are the calls that change no document and that a table does not need.
var quiet = []string{"indices.refresh", "indices.flush", "indices.forcemerge", "indices.delete", "cluster.health"}

// writes reports whether a call writes.
func writes(call string) bool {
	return slices.Contains([]string{"index", "create", "bulk", "indices.create", "indices.put_mapping", "delete", "update"}, call) || slices.Contains(quiet, call) && call != "cluster.health"
}

// write makes a writing call. It returns why it can't.
func (w written) write(call string, params map[string]any) reason {
	for name := range params {
		switch name {
		case "index", "id", "body", "refresh", "wait_for_active_shards", "wait_for_completion", "max_num_segments", "op_type", "routing", "ignore_unavailable", "ignore", "expand_wildcards":
		case "type", "include_type_name":
			return "types"
		default:
			return reason("a write with " + name)
		}
	}
	name := fmt.Sprint(params["index"])
	switch {
	case call == "indices.delete":
		delete(w, name)
		return ""
	case slices.Contains(quiet, call):
		return ""
	case call == "bulk":
		return w.bulk(params)
	case call == "delete":
		if w[name] != nil {
			w[name].remove(params["id"])
		}
		return ""
	case call == "update":
		return reason(call)
	}
	body, err := object(params["body"])
	if err != nil {
		return reason(err.Error())
	}
	switch call {
	case "indices.create":
		return w.create(name, body)
	case "indices.put_mapping":
		if w[name] == nil {
			return "a mapping of several indices"
		}
		return w.create(name, map[string]any{"mappings": body})
	}
	w.put(name, params["id"], body)
	return ""
}

// create makes an index, or gives it another mapping.
func (w written) create(name string, body map[string]any) reason {
	for key, v := range body {
		switch {
		case key == "mappings":
		case key != "settings":
			return reason("an index with " + key)
		default:
			if r := harmless(v, ""); r != "" {
				return r
			}
		}
	}
	if w[name] == nil {
		w[name] = &index{}
	}
	w[name].mappings, _ = body["mappings"].(map[string]any)
	if properties, _ := w[name].mappings["properties"].(map[string]any); body["mappings"] != nil && len(properties) == 0 {
		return "an index without fields"
	}
	for key := range w[name].mappings {
		if key != "properties" && key != "dynamic" {
			return reason("mapping with " + key)
		}
	}
	return ""
}

// harmless returns which setting changes what is found.
func harmless(v any, path string) reason {
	m, ok := v.(map[string]any)
	if !ok {
		last := path[strings.LastIndexByte(path, '.')+1:]
		if slices.Contains([]string{"number_of_shards", "number_of_replicas", "number_of_routing_shards"}, last) {
			return ""
		}
		return reason("setting " + last)
	}
	for key, value := range m {
		if r := harmless(value, path+"."+key); r != "" {
			return r
		}
	}
	return ""
}

// put adds a document, or replaces one.
func (w written) put(name string, id any, fields map[string]any) {
	if w[name] == nil {
		w[name] = &index{}
	}
	ix := w[name]
	if id == nil {
		id = fmt.Sprintf("auto%04d", len(ix.docs))
	}
	ix.remove(id)
	ix.docs = append(ix.docs, document{fmt.Sprint(id), fields})
}

func (ix *index) remove(id any) {
	ix.docs = slices.DeleteFunc(ix.docs, func(d document) bool { return d.id == fmt.Sprint(id) })
}

func (w written) bulk(params map[string]any) reason {
	lines, err := lines(params["body"])
	if err != nil {
		return reason(err.Error())
	}
	for len(lines) > 0 {
		action, ok := lines[0]["index"].(map[string]any)
		if !ok {
			action, ok = lines[0]["create"].(map[string]any)
		}
		if !ok || len(lines) < 2 {
			return "a bulk with other actions"
		}
		name := params["index"]
		for key, v := range action {
			switch key {
			case "_index":
				name = v
			case "_id", "routing":
			case "_type":
				return "types"
			default:
				return reason("a write with " + key)
			}
		}
		w.put(fmt.Sprint(name), action["_id"], lines[1])
		lines = lines[2:]
	}
	return ""
}

// lines reads the lines of a bulk: objects, texts, or one text.
func lines(body any) (all []map[string]any, err error) {
	list, ok := body.([]any)
	if text, isText := body.(string); isText {
		for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
			if strings.TrimSpace(s.Text()) != "" {
				list = append(list, s.Text())
			}
		}
		ok = true
	}
	if !ok {
		return nil, fmt.Errorf("a bulk that is no list")
	}
	for _, one := range list {
		m, err := object(one)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// object reads an object, or the text of one.
func object(v any) (m map[string]any, err error) {
	switch v := v.(type) {
	case nil:
		return map[string]any{}, nil
	case string:
		err = yaml.Unmarshal([]byte(v), &m) // JSON is YAML
		return m, err
	case map[string]any:
		return v, nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s is no object", text)
}
