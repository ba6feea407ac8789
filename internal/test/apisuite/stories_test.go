package apisuite

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A story is a file of the tests of OpenSearch's API specification: requests that
// prepare, and chapters, each with the answer that it wants.
type story struct {
	Prologues, Chapters []act
}

// An act is one request.
type act struct {
	Synopsis, Path, ID string
	Method             any // one or a list
	Parameters         map[string]any
	Request            struct{ Payload any }
	Response           struct {
		Status  int
		Payload any
	}
	Output  map[string]string
	Version string
}

// reads reports whether a story is one of those that read.
func reads(name string) bool {
	return slices.ContainsFunc([]string{"_core/analyze", "_core/count", "_core/field_caps", "_core/info", "_core/mget", "_core/msearch.", "_core/search", "_core/validate", "indices/analyze", "indices/count", "indices/doc.", "indices/explain",
		"indices/mget", "indices/msearch/msearch", "indices/search", "indices/source", "indices/validate", "cat/count", "cat/indices", "cat/aliases"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) &&
		!strings.Contains(name, "pipeline")
}

// tell runs all stories of a directory and passes the outcome of each chapter.
func tell(t *testing.T, dir string, real *node, each func(name string, o outcome)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.yaml"))
	for depth := "*/*/*.yaml"; err == nil && len(depth) < 20; depth = "*/" + depth {
		var more []string
		more, err = filepath.Glob(filepath.Join(dir, depth))
		files = append(files, more...)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		name, err := filepath.Rel(dir, path)
		if err != nil {
			t.Fatal(err)
		}
		if !reads(name) {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var s story
		if err := yaml.Unmarshal(text, &s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Run(name, func(t *testing.T) { s.tell(t, name, real, each) })
	}
}

func (s story) tell(t *testing.T, name string, real *node, each func(string, outcome)) {
	t.Helper()
	there := make([]outcome, len(s.Chapters))
	if real != nil {
		real.clean(t)
		there = s.run(t, real)
		real.clean(t)
	}
	for i, o := range s.run(t, &embedded{written: written{}}) {
		if real != nil && there[i].kind != "passed" && (o.kind == "passed" || o.kind == "failed") {
			o = outcome{"other release", "the node does not pass it"}
		}
		each(fmt.Sprintf("%s: %s", name, s.Chapters[i].Synopsis), o)
	}
}

// run runs the chapters in a world.
func (s story) run(t *testing.T, w world) []outcome {
	t.Helper()
	outcomes, v := make([]outcome, len(s.Chapters)), vars{}
	for _, a := range s.Prologues {
		if r, o := a.send(t, w, v); o.kind != "passed" || r.status >= 400 {
			for i := range outcomes {
				outcomes[i] = o
				if name := refusal(r); name != "" {
					outcomes[i] = outcome{"unsupported", name}
				} else if o.kind == "passed" {
					outcomes[i] = outcome{"failed", fmt.Sprintf("%s: %d %.300s", a.Path, r.status, r.text)}
				}
			}
			return outcomes
		}
	}
	for i, a := range s.Chapters {
		r, o := a.send(t, w, v)
		if name := refusal(r); name != "" {
			o = outcome{"unsupported", name}
		}
		if _, embedded := w.(*embedded); embedded && o.kind == "passed" && writes(a.call()) {
			o = outcome{"not reading", "it asserts a write"}
		}
		if why := odd(w, a.Response.Payload); why != "" {
			o = outcome{"not reading", why}
		}
		if o.kind == "passed" {
			o = a.judge(r, v)
		}
		outcomes[i] = o
	}
	return outcomes
}

// judge compares an answer with what a chapter wants.
func (a act) judge(r reply, v vars) outcome {
	if want := a.Response.Status; want != 0 && r.status != want || want == 0 && r.status >= 400 {
		return outcome{"failed", fmt.Sprintf("%v %s: %d %.300s", a.Method, a.Path, r.status, r.text)}
	}
	if want := plain(v.resolve(texts(a.Response.Payload))); want != nil && !includes(r.body, want) {
		return outcome{"failed", fmt.Sprintf("%v %s: got %s, want %s", a.Method, a.Path, r.text[:min(400, len(r.text))], short(want))}
	}
	return outcome{"passed", ""}
}

// includes reports whether a value has what another one has. Versions of documents and
// texts of errors are not compared.
func includes(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		m, ok := got.(map[string]any)
		for key, value := range want {
			if ok = ok && (key == "reason" || key == "_version" || key == "took" || includes(m[key], value)); !ok {
				break
			}
		}
		return ok
	case []any:
		list, ok := got.([]any)
		return ok && len(list) >= len(want) && slices.EqualFunc(list[:len(want)], want, includes)
	}
	return matches(got, want)
}

// call returns the call of a request as the other suite names it.
func (a act) call() string {
	method, parts := a.method(), strings.Split(strings.Trim(a.path(nil), "/"), "/")
	last := parts[len(parts)-1]
	switch {
	case method == "GET" || method == "HEAD":
		return "read"
	case last == "_bulk":
		return "bulk"
	case last == "_refresh":
		return "indices.refresh"
	case method == "DELETE" && len(parts) == 1:
		return "indices.delete"
	case method == "PUT" && len(parts) == 1:
		return "indices.create"
	case len(parts) > 1 && (parts[1] == "_doc" || parts[1] == "_create"):
		return map[bool]string{true: "delete", false: "index"}[method == "DELETE"]
	}
	return "read" // or refused
}

func (a act) method() string {
	if list, ok := a.Method.([]any); ok {
		return fmt.Sprint(list[0])
	}
	return fmt.Sprint(a.Method)
}

var inPath = regexp.MustCompile(`\{([a-z_]+)\}`)

// path returns the path with its parameters. Those that are used are deleted from left.
func (a act) path(left map[string]any) string {
	return inPath.ReplaceAllStringFunc(a.Path, func(part string) string {
		name := strings.Trim(part, "{}")
		value := joined(a.Parameters[name])
		delete(left, name)
		return strings.ReplaceAll(url.PathEscape(value), "%2C", ",")
	})
}

// send sends the request of an act.
func (a act) send(t *testing.T, w world, v vars) (reply, outcome) {
	t.Helper()
	if len(a.Parameters) > 0 {
		a.Parameters, _ = v.resolve(texts(a.Parameters)).(map[string]any)
	}
	left := map[string]any{}
	for name, value := range a.Parameters {
		left[name] = value
	}
	m := message{method: a.method(), path: "/" + strings.TrimPrefix(a.path(left), "/")}
	var err error
	if m.body, err = bodyOf(v.resolve(texts(a.Request.Payload))); err != nil {
		return reply{}, outcome{"not reading", err.Error()}
	}
	query, call := url.Values{}, a.call()
	for name, value := range left {
		query.Set(name, joined(value))
	}
	if len(query) > 0 {
		m.path += "?" + query.Encode()
	}
	if _, real := w.(*node); real && (strings.HasSuffix(a.Path, "_msearch") || call == "bulk") {
		call = "bulk" // lines
	}
	params := map[string]any{"body": texts(a.Request.Payload)}
	if writes(call) {
		parts := strings.Split(strings.Trim(a.path(nil), "/"), "/")
		if parts[0] != "_bulk" {
			params["index"] = parts[0]
		}
		if len(parts) > 2 {
			params["id"] = parts[2]
		}
	}
	r, why := w.do(t, call, params, m)
	if why != "" {
		return r, outcome{"not reading", string(why)}
	}
	for name, path := range a.Output {
		v[a.ID+"."+name] = r.at(strings.TrimPrefix(strings.TrimPrefix(path, "payload"), "."), v)
	}
	return r, outcome{"passed", ""}
}
