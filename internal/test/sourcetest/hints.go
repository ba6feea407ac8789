package sourcetest

import (
	"indexerd/internal/base/doc"
	"indexerd/internal/source/changes"
)

var hintBehaviours = []behaviour{
	{"the version of a hint moves with every commit that writes, and stands still otherwise", true, versionMoves},
	{"no hint is exact of an SQL whose result changes without a commit", true, changingSQL},
	{"a hint is not exact before the SQL is looked at again after a commit", true, replacedView},
}

func hintsOf(r *run, t SQLTable) func() doc.Hint {
	r.Helper()
	table := t.(ofSource)
	sampler, ok := table.source.Dialect().(changes.Sampler)
	if !ok {
		r.Fatal("the source shows no changes: add the behaviour to Lacks")
	}
	hints := changes.NewReadings(sampler).Watch(table.Footprint)
	return func() doc.Hint {
		r.Helper()
		h, err := hints.Hint(r.Context())
		if err != nil {
			r.Fatal(err)
		}
		if h.Version == "" || h.At.IsZero() {
			r.Fatalf("got hint %+v, want a version and a time", h)
		}
		return h
	}
}

func versionMoves(r *run) {
	r.twoTables(5)
	table := r.open(Config{Children: parts("id")})
	hint := hintsOf(r, table)
	before := r.still(table, hint)
	for _, write := range []string{
		"INSERT INTO doc SELECT 6, u, v FROM doc WHERE id = 1", "UPDATE doc SET v = 3 WHERE id = 2", "DELETE FROM doc WHERE id = 3",
		"INSERT INTO part VALUES (1, {@7}, 'a')", "DELETE FROM part", r.h.Facts.Truncate,
	} {
		r.exec(write)
		after := hint()
		if after.Version == before.Version {
			r.Errorf("%s: got version %s again, want another", write, after.Version)
		}
		if after.At.Before(before.At) {
			r.Errorf("got the time %v after %v", after.At, before.At)
		}
		before = r.still(table, hint)
	}
}

// still returns a hint that reads do not move. Another test may write to another
// database of the server.
func (r *run) still(table SQLTable, hint func() doc.Hint) doc.Hint {
	r.Helper()
	before := hint()
	for range 1000 {
		r.count(table)
		again := hint()
		if again.Version == before.Version {
			if !again.Exact {
				r.Errorf("got %+v, want it exact as its version stood still", again)
			}
			return again
		}
		before = again
	}
	r.Error("no version stands still while nothing is committed")
	return before
}

func (r *run) count(table SQLTable) {
	r.Helper()
	if _, err := table.Count(r.Context()); err != nil {
		r.Fatal(err)
	}
}

func changingSQL(r *run) {
	r.twoTables(1)
	for _, expr := range facts(r, r.h.Facts.Changing) {
		for _, c := range []Config{
			{SQL: "SELECT id, u, " + expr + " AS x FROM doc"},
			{Children: []Child{{Name: "parts", Path: "children.parts", SQL: "SELECT id, " + expr + " AS name FROM part", Key: []string{"id"}}}},
		} {
			hint := hintsOf(r, r.open(c))
			if h := hint(); h.Exact || h.Reason == "" {
				r.Errorf("%s in %s%v: got %+v, want no exact hint, and a reason", expr, c.SQL, c.Children, h)
			}
		}
	}
	for _, expr := range []string{"'now()'", "v"} {
		table := r.open(Config{SQL: "SELECT id, u, " + expr + " AS x FROM doc"})
		r.still(table, hintsOf(r, table))
	}
}

func replacedView(r *run) {
	r.twoTables(1)
	r.exec("CREATE VIEW shown AS SELECT id, u, v FROM doc")
	table := r.open(Config{SQL: "SELECT * FROM shown"})
	hint := hintsOf(r, table)
	r.still(table, hint)
	r.exec("DROP VIEW shown", "CREATE VIEW shown AS SELECT id, u, v FROM doc WHERE "+r.h.Facts.Changing[0]+" IS NOT NULL")
	for range 3 {
		if h := hint(); h.Exact {
			r.Errorf("got %+v of the new view, want no exact hint", h)
		}
	}
}
