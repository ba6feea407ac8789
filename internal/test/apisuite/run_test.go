package apisuite

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// An outcome is how a test ended, and why.
type outcome struct {
	kind string // passed, failed, unsupported, not reading
	why  string
}

// A world is where a test runs.
type world interface {
	// do makes a call. reason is why it can't.
	do(t *testing.T, call string, params map[string]any, m message) (reply, reason)
}

// run runs a test.
func run(t *testing.T, all map[string]api, s suite, w world) outcome {
	t.Helper()
	vars, last := vars{}, reply{}
	wrote := false
	for _, one := range append(append([]step{}, s.setup...), s.steps...) {
		switch one.kind {
		case "skip":
		case "do":
			call, err := callOf(one.arg)
			if err != nil {
				return outcome{"not reading", err.Error()}
			}
			call.params, _ = vars.resolve(call.params).(map[string]any)
			if _, embedded := w.(*embedded); embedded {
				if wrote = writes(call.name); wrote && call.catch != "" {
					return outcome{"not reading", "a write that fails"}
				}
			}
			var end *outcome
			if last, end = call.send(t, all, w); end != nil {
				return *end
			}
		case "set":
			for path, name := range one.arg.(map[string]any) {
				vars[fmt.Sprint(name)] = last.at(path, vars)
			}
		case "match", "length", "is_true", "is_false", "gt", "gte", "lt", "lte", "contains", "close_to":
			if wrote {
				return outcome{"not reading", "it asserts a write"}
			}
			if why := odd(w, one.arg); why != "" {
				return outcome{"not reading", why}
			}
			if wrong := last.check(one, vars); wrong != "" {
				return outcome{"failed", wrong}
			}
		default:
			return outcome{"not reading", "the runner lacks " + one.kind}
		}
	}
	return outcome{"passed", ""}
}

// odd returns why a step that names a field can't be read from tables.
func odd(w world, arg any) string {
	e, ok := w.(*embedded)
	if !ok {
		return ""
	}
	text, err := json.Marshal(arg)
	if err != nil {
		return err.Error()
	}
	for name, why := range e.odd {
		if regexp.MustCompile(`(^|[^A-Za-z0-9_])` + regexp.QuoteMeta(name) + `($|[^A-Za-z0-9_])`).Match(text) {
			return why
		}
	}
	return ""
}

// A call is the argument of do.
type call struct {
	name, catch string
	params      map[string]any
}

func callOf(arg any) (c call, err error) {
	m, ok := arg.(map[string]any)
	if !ok {
		return c, fmt.Errorf("do has no call")
	}
	for key, v := range m {
		switch key {
		case "catch":
			c.catch = fmt.Sprint(v)
		case "headers", "warnings", "allowed_warnings":
		case "node_selector":
			return c, fmt.Errorf("the runner lacks node_selector")
		default:
			c.name = key
			if c.params, ok = v.(map[string]any); !ok && v != nil {
				return c, fmt.Errorf("call %s has no parameters", key)
			}
		}
	}
	if c.params == nil {
		c.params = map[string]any{}
	}
	return c, nil
}

var statuses = map[string]int{"bad_request": 400, "unauthorized": 401, "forbidden": 403, "missing": 404, "request_timeout": 408, "conflict": 409, "unavailable": 503}

// send makes a call and judges its status.
func (c call) send(t *testing.T, all map[string]api, w world) (reply, *outcome) {
	t.Helper()
	ignore := fmt.Sprint(c.params["ignore"])
	delete(c.params, "ignore")
	a, ok := all[c.name]
	if !ok {
		return reply{}, &outcome{"not reading", "no call " + c.name}
	}
	m, err := a.message(c.params)
	if err != nil && c.catch == "param" {
		return reply{}, nil
	}
	if err != nil {
		return reply{}, &outcome{"not reading", err.Error()}
	}
	r, why := w.do(t, c.name, c.params, m)
	if why != "" {
		return r, &outcome{"not reading", string(why)}
	}
	if name := refusal(r); name != "" {
		return r, &outcome{"unsupported", name}
	}
	switch {
	case m.method == "HEAD" || c.catch == "" && (r.status < 400 || fmt.Sprint(r.status) == ignore):
		return r, nil
	case c.catch == "":
		return r, &outcome{"failed", fmt.Sprintf("%v: %d %.300s", m, r.status, r.text)}
	case statuses[c.catch] > 0 && r.status != statuses[c.catch]:
		return r, &outcome{"failed", fmt.Sprintf("%v: %d %.300s, want %s", m, r.status, r.text, c.catch)}
	case statuses[c.catch] == 0 && r.status < 400:
		return r, &outcome{"failed", fmt.Sprintf("%v: %d %.300s, want an error", m, r.status, r.text)}
	}
	return r, nil
}

// refusal returns by which name the API refuses a request, "" if it does not.
func refusal(r reply) string {
	body, _ := r.body.(map[string]any)
	answers, _ := body["responses"].([]any) // of a _msearch
	for _, a := range append(answers, body) {
		one, _ := a.(map[string]any)
		e, _ := one["error"].(map[string]any)
		text, _ := e["reason"].(string)
		for _, mark := range []string{"not supported", "does not support", "no handler found"} {
			if strings.Contains(text, mark) {
				text, _, _ = strings.Cut(text, ";")
				return text
			}
		}
	}
	return ""
}

// replyOf reads an answer.
func replyOf(method string, status int, text string) reply {
	r := reply{status: status, text: text}
	if method == "HEAD" {
		r.body = status == http.StatusOK
		return r
	}
	_ = json.Unmarshal([]byte(text), &r.body) // lists in text are no JSON
	return r
}

// embedded is a world whose indices are tables.
type embedded struct {
	written written
	handler http.Handler // nil: not all documents are in it
	odd     map[string]string
}

func (e *embedded) do(t *testing.T, call string, params map[string]any, m message) (reply, reason) {
	t.Helper()
	if writes(call) {
		e.handler = nil
		return reply{}, e.written.write(call, params)
	}
	if m.method == "PUT" || m.method == "DELETE" && call != "clear_scroll" && call != "delete_pit" || call == "indices.close" || call == "indices.open" {
		return reply{}, reason("call " + call)
	}
	if params["type"] != nil || params["include_type_name"] != nil {
		return reply{}, "types"
	}
	if params["routing"] != nil {
		return reply{}, "routing"
	}
	if e.handler == nil {
		s, odd, err := e.written.server(t)
		if err != nil {
			return reply{}, reason("documents that a table can't have: " + err.Error())
		}
		e.handler, e.odd = s.Handler(), odd
	}
	if why := odd(e, params); why != "" {
		return reply{}, reason(why)
	}
	r := httptest.NewRequestWithContext(t.Context(), m.method, m.path, strings.NewReader(m.body))
	r.Header.Set("Content-Type", "application/json")
	got := httptest.NewRecorder()
	e.handler.ServeHTTP(got, r)
	return replyOf(m.method, got.Code, got.Body.String()), ""
}

// A node is a world with a real server.
type node struct{ url string }

func (n *node) do(t *testing.T, call string, _ map[string]any, m message) (reply, reason) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), m.method, n.url+m.path, strings.NewReader(m.body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if call == "bulk" || call == "msearch" {
		r.Header.Set("Content-Type", "application/x-ndjson")
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return replyOf(m.method, resp.StatusCode, string(text)), ""
}
