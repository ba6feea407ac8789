package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
)

// A visitor calls a daemon as a user with a token does.
type visitor struct {
	*http.Client
	base, token string
}

func (v visitor) ask(t testing.TB, method, path, body string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, v.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if v.token != "" {
		r.Header.Set("Authorization", "Bearer "+v.token)
	}
	response, err := v.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var header bytes.Buffer
	if err := response.Header.Write(&header); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, header.String() + "\n" + string(text)
}

// as asks a daemon with a token.
func (p *proc) as(token string) visitor { return visitor{http.DefaultClient, p.base, token} }

// body reads the JSON of an answer that is no error, and returns its status.
func (v visitor) body(t testing.TB, method, path string, into any) int {
	t.Helper()
	status, text := v.ask(t, method, path, "")
	if status < 300 {
		if err := readAnswer(text, into); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	return status
}

// readAnswer reads the JSON of an answer of ask.
func readAnswer(answer string, into any) error {
	_, body, _ := strings.Cut(answer, "\r\n\n")
	if err := json.Unmarshal([]byte(body), into); err != nil {
		return fmt.Errorf("%w: %s", err, answer)
	}
	return nil
}

// answer reads the JSON of an answer, which has to be there.
func (v visitor) answer(t testing.TB, path string, into any) {
	t.Helper()
	if err := v.answered(t, path, into); err != nil {
		t.Fatal(err)
	}
}

// answered reads the JSON of an answer. An answer of another status is an error.
func (v visitor) answered(t testing.TB, path string, into any) error {
	t.Helper()
	status, text := v.ask(t, http.MethodGet, path, "")
	if status != http.StatusOK {
		return fmt.Errorf("%s: got %d: %s", path, status, text)
	}
	return readAnswer(text, into)
}

// status asks for the status of the daemon, and returns that of the answer.
func (v visitor) status(t testing.TB) int {
	t.Helper()
	status, _ := v.ask(t, http.MethodGet, "/api/v1/status", "")
	return status
}

// finds returns the answer to a query.
func (v visitor) finds(t testing.TB, table, q string) (a search.Answer) {
	t.Helper()
	v.answer(t, searchOf(table, q), &a)
	return a
}

// table is the status of one table, as an admin gets it.
func (v visitor) table(t testing.TB, name string) httpapi.TableStatus {
	t.Helper()
	var s httpapi.Status
	if status := v.body(t, "GET", "/api/v1/status", &s); status == http.StatusForbidden {
		return httpapi.TableStatus{}
	}
	i := slices.IndexFunc(s.Tables, func(t httpapi.TableStatus) bool { return t.Table == name })
	if i < 0 {
		t.Fatalf("status has no table %s: %+v", name, s)
	}
	return s.Tables[i]
}

// found waits until a query finds so many documents. Meanwhile a search may fail, as that
// of a busy cluster does.
func (v visitor) found(t testing.TB, table, q string, want uint64) {
	t.Helper()
	eventually(t, soon, fmt.Sprintf("%s finds %q", table, q), func() error {
		var a search.Answer
		if err := v.answered(t, searchOf(table, q), &a); err != nil {
			return err
		}
		if a.Total != want {
			return fmt.Errorf("got %d, want %d: %+v", a.Total, want, v.table(t, table).LastError)
		}
		return nil
	})
}

// searchOf is the path of a search.
func searchOf(table, q string) string {
	return "/api/v1/tables/" + table + "/search?q=" + url.QueryEscape(q)
}

// swept waits until a table has been compared as a whole.
func (v visitor) swept(t testing.TB, table string) {
	t.Helper()
	eventually(t, soon, table+" is verified", func() error {
		if s := v.table(t, table); s.Settled.Unverified || s.State != "following" {
			return fmt.Errorf("%s: %+v, %+v", s.State, s.Settled, s.LastError)
		}
		return nil
	})
}

// fails waits until a table is failing, with an error that has all texts.
func (v visitor) fails(t testing.TB, table string, texts ...string) {
	t.Helper()
	eventually(t, soon, table+" fails, and shows why", func() error {
		s := v.table(t, table)
		if s.State != "failing" || s.LastError == nil || slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(s.LastError.What, text) }) {
			return fmt.Errorf("state %s, last error %+v", s.State, s.LastError)
		}
		return nil
	})
}
