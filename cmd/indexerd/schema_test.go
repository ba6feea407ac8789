package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"indexerd/internal/index/search"
	"indexerd/internal/serve/httpapi"
	"indexerd/internal/test/pgtest"
)

// TestSchema changes the schema of tables in SCHEMA_N random sequences, under
// both sources, from the initial load on, while rows change. No process ends, no
// answer has a value of another column, no token finds a document of another
// group. At the end of a sequence the index is equal to the database, or the
// table fails with a line that names the reason.
//
// What a right answer is follows from a row's key alone: see record.
func TestSchema(t *testing.T) {
	t.Parallel()
	n := rounds(t, "SCHEMA_N", 10, 4)
	seed := chaosSeed(t)
	f := &schemaFigures{}
	for from := 0; from < n; from += subjectsPerRound {
		// A round ends its daemon, and closes its databases.
		t.Run(strconv.Itoa(from), func(t *testing.T) {
			newSchemaRound(t, seed+uint64(from), min(n-from, subjectsPerRound)).run(t, f)
		})
	}
	fmt.Printf("schema: seed=%d n=%d changes=%d writes=%d answers=%d hits=%d equal=%d failed=%d panics=%d foreign=%d unseen=%d %s\n",
		seed, n, f.changes, f.writes, f.answers, f.hits, f.equal, f.failed, f.panics, f.foreign, f.unseen, outcome(t.Failed()))
}

// subjectsPerRound is every shape under both sources.
var subjectsPerRound = 2 * len(shapes)

// A schemaFigures counts what all rounds did and saw.
type schemaFigures struct {
	mu       sync.Mutex
	changes  int // of a schema
	writes   int // of rows
	answers  int // searches that were judged
	hits     int
	equal    int // sequences that ended with an index equal to the database
	failed   int // sequences that ended with a schema that does not fit, and said so
	panics   int
	foreign  int // values of another column
	unseen   int // documents found by a token that may not see them
	complain int // complaints that were printed
}

func (f *schemaFigures) add(n *int, by int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	*n += by
}

// A schemaRound is one daemon with a table for each subject.
type schemaRound struct {
	daemon   *proc
	file     string
	subjects []*subject
}

func newSchemaRound(t *testing.T, seed uint64, n int) *schemaRound {
	t.Helper()
	dir, r := t.TempDir(), &schemaRound{}
	dsn, lite := pgtest.DB(t), filepath.Join(dir, "lite.db")
	db := openSQLite(t, lite)
	db.SetMaxOpenConns(1)
	var yaml strings.Builder
	fmt.Fprintf(&yaml, "data: %s\nhttp:\n  listen: 127.0.0.1:0\n  tokens:\n    ops: {token: %s, admin: true}\n", filepath.Join(dir, "data"), opsToken)
	for g := range groups {
		fmt.Fprintf(&yaml, "    g%d: {token: %s, groups: ['%d']}\n", g, groupToken(g), g)
	}
	fmt.Fprintf(&yaml, "sources:\n  pg: {driver: postgres, dsn: %q}\n  lite: {driver: sqlite, dsn: %q}\ntables:\n", dsn, lite)
	for i := range n {
		s := newSubject(seed, i)
		if s.lite {
			s.exec = liteExec(db)
		} else {
			s.exec = pgExec(pgtest.Connect(t, dsn))
		}
		if err := s.exec(t.Context(), s.shape.create(s)...); err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		r.subjects = append(r.subjects, s)
		yaml.WriteString(s.config())
	}
	r.file = writeFile(t, yaml.String())
	r.daemon = start(t, "run", "-c", r.file)
	return r
}

// run plays a sequence on every subject and judges what comes of it.
func (r *schemaRound) run(t *testing.T, f *schemaFigures) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var looking sync.WaitGroup
	for _, s := range r.subjects {
		looking.Go(func() { r.look(ctx, t, s, f) })
	}
	var playing errgroup.Group
	for _, s := range r.subjects {
		playing.Go(func() error { return s.play(ctx, f) })
	}
	if err := playing.Wait(); err != nil {
		t.Error(err)
	}
	for _, s := range r.subjects {
		r.judge(t, s, f)
	}
	stop()
	looking.Wait()
	if err := r.daemon.unbroken(); err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(r.daemon.log.String()) {
		if strings.Contains(line, "panic") {
			f.panics++
			t.Errorf("the daemon's log has a panic: %s", line)
		}
	}
}

// look searches a table as everyone may, and judges each answer.
func (r *schemaRound) look(ctx context.Context, t *testing.T, s *subject, f *schemaFigures) {
	questions := []string{"", "title", "ok:true", "ok:false", "rank:[0 TO 999]", "rank:>=1000"}
	for i := 0; ctx.Err() == nil && r.daemon.unbroken() == nil; i++ {
		group, q := i%(groups+1), questions[i/(groups+1)%len(questions)]
		answer, err := r.ask(ctx, s, group, q)
		if err == nil {
			r.judgeAnswer(t, s, group, q, answer, f)
		}
		select {
		case <-ctx.Done():
		case <-time.After(30 * time.Millisecond):
		}
	}
}

// ask searches with the token of a group, or as an admin behind the last group.
// A table that is not loaded yet refuses.
func (r *schemaRound) ask(ctx context.Context, s *subject, group int, q string) (search.Answer, error) {
	var answer search.Answer
	token := opsToken
	if group < groups {
		token = groupToken(group)
	}
	body, err := r.get(ctx, token, "/api/v1/tables/"+s.name+"/search?size=1000&q="+url.QueryEscape(q))
	if err != nil {
		return answer, err
	}
	return answer, json.Unmarshal(body, &answer)
}

func (r *schemaRound) get(ctx context.Context, token, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.daemon.base+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	return fetchBody(request)
}

// judgeAnswer compares each hit with the record of its key.
func (r *schemaRound) judgeAnswer(t *testing.T, s *subject, group int, q string, a search.Answer, f *schemaFigures) {
	f.add(&f.answers, 1)
	f.add(&f.hits, len(a.Hits))
	complain := func(n *int, format string, args ...any) {
		f.mu.Lock()
		defer f.mu.Unlock()
		*n++
		if f.complain++; f.complain <= 20 {
			t.Errorf("%s, q=%s: %s", s, q, fmt.Sprintf(format, args...))
		}
	}
	for _, hit := range a.Hits {
		id, err := strconv.Atoi(hit.OID)
		if err != nil {
			complain(&f.foreign, "key %q is no number", hit.OID)
			continue
		}
		if group < groups && id%groups != group {
			complain(&f.unseen, "group %d finds row %d", group, id)
		}
		if strings.HasPrefix(q, "ok:") && q != fmt.Sprintf("ok:%t", id%2 == 0) {
			complain(&f.foreign, "finds row %d", id)
		}
		if q == "rank:[0 TO 999]" {
			complain(&f.foreign, "finds row %d, no rank is below 1000", id)
		}
		for _, field := range hit.Fields {
			if what := misplaced(id, field.Name, field.Value); what != "" {
				complain(&f.foreign, "row %d: %s", id, what)
			}
		}
	}
}

// misplaced returns what is wrong with a value, "" for nothing.
func misplaced(id int, field string, value any) string {
	text := fmt.Sprint(value)
	switch {
	case value == nil:
		return ""
	case field == "title", field == "body":
		if !strings.HasPrefix(text, fmt.Sprintf("%s %d ", field, id)) {
			return fmt.Sprintf("%s is %q", field, text)
		}
	case field == "rank":
		if text != strconv.Itoa(1000+id) {
			return fmt.Sprintf("rank is %#v", value)
		}
	case field == "ok":
		// A text column may say true and false too, or what no field of booleans has: see
		// pgBreaking.
		if text != strconv.FormatBool(id%2 == 0) && text != map[bool]string{true: "yes", false: "no"}[id%2 == 0] {
			return fmt.Sprintf("ok is %#v", value)
		}
	case field == "grp":
		if text != strconv.Itoa(id%groups) && text != fmt.Sprintf("[%d]", id%groups) {
			return fmt.Sprintf("grp is %#v", value)
		}
	}
	return ""
}

// endWithin is how long a table may take, when the last change has been made,
// until it is equal or reports what is wrong: a comparison after each change, and
// pauses between tries of up to half a minute.
const endWithin = 5 * time.Minute

// judge waits for the end that the last schema asks for.
func (r *schemaRound) judge(t *testing.T, s *subject, f *schemaFigures) {
	t.Helper()
	if s.fits() {
		eventually(t, endWithin, s.String()+" is equal", func() error { return r.equal(t, s, false) })
		f.equal++
		return
	}
	eventually(t, endWithin, s.String()+" fails", func() error {
		err := r.fails(t, s)
		// A text column may hold booleans: of one that does not, each document lacks the value.
		if err == nil || !slices.Equal(s.missing(), []string{"ok"}) {
			return err
		}
		if other := r.equal(t, s, true); other != nil {
			return errors.Join(err, other)
		}
		return nil
	})
	f.failed++
}

func (r *schemaRound) status(t *testing.T, s *subject) (httpapi.TableStatus, error) {
	t.Helper()
	if err := r.daemon.unbroken(); err != nil {
		t.Fatal(err)
	}
	var all httpapi.Status
	body, err := r.get(t.Context(), opsToken, "/api/v1/status")
	if err == nil {
		err = json.Unmarshal(body, &all)
	}
	for _, table := range all.Tables {
		if table.Table == s.name {
			return table, err
		}
	}
	return httpapi.TableStatus{}, fmt.Errorf("status has no %s: %w", s.name, err)
}

// equal compares a table that follows with the database, to the last byte. partial is
// whether documents lack values.
func (r *schemaRound) equal(t *testing.T, s *subject, partial bool) error {
	t.Helper()
	status, err := r.status(t, s)
	if err != nil {
		return err
	}
	if status.State != "following" || status.Settled.Unverified || status.Quarantined > 0 || (status.Partial > 0) != partial {
		return fmt.Errorf("%s, unverified %t, %d in quarantine, %d partial, last error %+v", status.State, status.Settled.Unverified, status.Quarantined, status.Partial, status.LastError)
	}
	stdout, stderr, code := ask(withToken(t, opsToken), "verify", "-c", r.file, s.name, "--content", "--json", "--wait", "1m")
	var v httpapi.VerifyResult
	if code != 0 || json.Unmarshal([]byte(stdout), &v) != nil || len(v.Tables) != 1 || v.Tables[0].Compared < fewestRows {
		return fmt.Errorf("verify: exit %d: %s%s", code, stdout, stderr)
	}
	return nil
}

// fails wants a state that names what of the schema does not fit, and that a
// token finds nothing where the groups are gone.
func (r *schemaRound) fails(t *testing.T, s *subject) error {
	t.Helper()
	status, err := r.status(t, s)
	switch {
	case err != nil:
		return err
	case status.State == "following" || status.LastError == nil:
		return fmt.Errorf("%s misses %v: %s, last error %+v", s, s.missing(), status.State, status.LastError)
	case strings.Contains(status.LastError.What, "\n") || !s.named(status.LastError.What):
		return fmt.Errorf("%s misses %v, the last error names none of them: %s", s, s.missing(), status.LastError.What)
	case !s.lost("grp") || status.State == "loading":
		return nil
	}
	for group := range groups {
		if a, err := r.ask(t.Context(), s, group, ""); err != nil || a.Total > 0 {
			return fmt.Errorf("%s has no groups, and group %d finds %d: %v", s, group, a.Total, err)
		}
	}
	return nil
}

func groupToken(g int) string { return fmt.Sprintf("%s-of-group-%d", tokenWord, g) }
