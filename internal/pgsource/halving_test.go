package pgsource

import (
	"fmt"
	"slices"
	"testing"

	"indexerd/internal/doc"
)

// A row for which the SQL fails becomes a reject with the server's reason, and
// all other rows are read, whichever way (R24).
func TestFailingRowIsRejected(t *testing.T) {
	t.Parallel()
	const sql, setup = "SELECT *, 1 / (id - 13) AS v FROM doc", `CREATE TABLE doc (id int, u timestamptz); INSERT INTO doc VALUES (NULL, now());
		INSERT INTO doc SELECT i, '2024-01-01Z'::timestamptz + i * interval '1 s' FROM generate_series(1, 40) i ORDER BY md5(i::text)`
	for name, c := range map[string]struct {
		cfg    TableConfig
		reason string
	}{
		"main SQL": {TableConfig{SQL: sql}, "division by zero (SQLSTATE 22012)"},
		"child":    {TableConfig{Children: parts(sql, "id")}, "child parts: division by zero (SQLSTATE 22012)"},
	} {
		c.cfg.Batch, c.cfg.Numbers = 10, &numbers{}
		table, _ := newTable(t, setup, c.cfg)
		table.stampPage = 7
		checkFailingRow(t, name, c.reason, table)
	}
}

func checkFailingRow(t *testing.T, name, reason string, table *Table) {
	t.Helper()
	bad := oid(t, int64(13))
	want := doc.Reject{OID: bad, Reason: reason}
	found := map[string]bool{}
	var rejects []doc.Reject
	last := doc.FetchSeq(0)
	for b, err := range table.Range(t.Context(), doc.Range{}) {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		// A reject comes at the end of its chunk; its fetch is still in flight.
		if waited := len(b.Rejects) > 0 && table.numbers.(*numbers).inFlight[b.Fetch]; b.Fetch < last && !waited || b.At.IsZero() {
			t.Errorf("%s: got fetch %d of %v after %d, want a later one", name, b.Fetch, b.At, last)
		}
		last = max(last, b.Fetch)
		for _, d := range b.Docs {
			found[d.OID.String()] = true
		}
		rejects = append(rejects, b.Rejects...)
	}
	if keyless := (doc.Reject{Reason: "key column id is NULL"}); len(found) != 39 || !slices.Equal(rejects, []doc.Reject{want, keyless}) {
		t.Errorf("%s: got %d documents and rejects %v, want 39 and %v, and the row without key", name, len(found), rejects, want)
	}
	docs, rejects := readAll(t, table.Docs(t.Context(), ids(t, 11, 12, 13, 14, 99)))
	if len(docs) != 3 || !slices.Equal(rejects, []doc.Reject{want}) {
		t.Errorf("%s: got documents %v and rejects %v by OID, want three and %v", name, sortedKeys(docs), rejects, want)
	}

	w := doc.Window{From: at(t, "2024-01-01T00:00:00Z"), To: at(t, "2024-01-01T01:00:00Z")}
	of, err := table.StampsOf(t.Context(), ids(t, 12, 13, 14))
	if err != nil || len(of) != 3 {
		t.Errorf("%s: got stamps %v, %v, want three", name, of, err)
	}
	inRange := readStamps(t, table.StampsInRange(t.Context(), doc.Range{}))
	for i, s := range inRange {
		if s.OID != oid(t, int64(i+1)) {
			t.Fatalf("%s: got stamp %d of %v, want them in the order of keys", name, i, s.OID)
		}
	}
	for way, stamps := range map[string][]doc.Stamp{
		"by updateTime": readStamps(t, table.Stamps(t.Context(), w)), "in range": inRange,
	} {
		if got := len(printed(stamps)); got != 40 {
			t.Errorf("%s, %s: got stamps of %d rows, want 40", name, way, got)
		}
		for _, s := range append(stamps, of...) {
			if (s.Token.Digest == 0) != (s.OID == bad) || s.Updated.IsZero() {
				t.Errorf("%s, %s: got %+v, want a known token unless it is row 13", name, way, s)
			}
		}
	}
}

// A failing row after several pages fails no other row.
func TestStampsContinueAfterAFailingRow(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, `CREATE TABLE doc (id int PRIMARY KEY, u timestamptz); INSERT INTO doc SELECT i, '2024-01-01Z' FROM generate_series(1, 3000) i; ANALYZE doc`,
		TableConfig{SQL: "SELECT *, 1 / (id - 2500) AS v FROM doc"})
	table.stampPage = 100
	bad, got := oid(t, int64(2500)), map[doc.OID]bool{}
	for _, s := range readStamps(t, table.Stamps(t.Context(), doc.Window{From: minTime, To: maxTime})) {
		if got[s.OID] = true; (s.Token.Digest == 0) != (s.OID == bad) {
			t.Errorf("got %+v, want a known token unless it is row 2500", s)
		}
	}
	if len(got) != 3000 {
		t.Errorf("got stamps of %d rows, want 3000", len(got))
	}
}

// If even the keys fail, no row is read.
func TestFailingKeysFailTheRead(t *testing.T) {
	t.Parallel()
	table, _ := newTable(t, "CREATE TABLE doc (n int, u timestamptz); INSERT INTO doc VALUES (0, '2024-01-01Z'), (1, '2024-01-01Z')",
		TableConfig{SQL: "SELECT 1 / n AS id, u FROM doc"})
	const want = "table doc: division by zero (SQLSTATE 22012)"
	for _, err := range table.Range(t.Context(), doc.Range{}) {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	for _, err := range table.Stamps(t.Context(), doc.Window{From: minTime, To: maxTime}) {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A consumer that stops during halving gets no further batch, and no fetch
// stays in flight.
func TestHalvingEnds(t *testing.T) {
	t.Parallel()
	n := &numbers{}
	table, _ := newTable(t, "CREATE TABLE doc (id int, u timestamptz); INSERT INTO doc SELECT i, now() FROM generate_series(1, 8) i",
		TableConfig{SQL: "SELECT *, 1 / (id - 7) AS v FROM doc", Numbers: n})
	for range table.Docs(t.Context(), ids(t, 1, 2, 3, 4, 5, 6, 7, 8)) {
		break
	}
	for range table.Range(t.Context(), doc.Range{}) {
		break
	}
	if open := n.open(); open != 0 {
		t.Errorf("got %d fetches in flight, want none", open)
	}
}

func TestIsRowFault(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"22012": true, "22P02": true, "54000": true, "21000": true, "23505": true, "42P01": true, "P0001": true, "XX001": true, "AB123": true, "25006": true, "58P01": true,
		"08006": false, "08P01": false, "25P02": false, "28000": false, "40001": false, "53200": false, "55P03": false, "57014": false, "58030": false, "HV00N": false,
	} {
		if got := isRowFault(fmt.Errorf("child x: %w", &serverError{code: code})); got != want {
			t.Errorf("%s: got %v, want %v", code, got, want)
		}
	}
	if raised := error(&serverError{code: "40001", raised: true}); !isRowFault(raised) || isRowFault(notRowFault(raised)) {
		t.Error("got no row fault for an error raised by a function, or one for notRowFault")
	}
	if isRowFault(nil) || isRowFault(fmt.Errorf("%w: %w", doc.ErrUnavailable, &serverError{code: "22012"})) {
		t.Error("got a row fault, want none: no error, or an unavailable database")
	}
}
