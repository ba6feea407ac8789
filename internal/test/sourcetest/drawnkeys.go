package sourcetest

import (
	"math/rand/v2"
	"slices"

	"indexerd/internal/base/doc"
)

// drawnRows is the number of rows of each type of key.
const drawnRows = 400

// drawnKeys draws keys. Two rows have one OID exactly if the database takes their
// keys for equal, and if Ordered is true, OIDs are in the database's order.
func drawnKeys(r *run) {
	seed := rand.Uint64()
	r.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, k := range facts(r, r.h.Facts.Keys) {
		r = r.fresh()
		r.drawRows(k, random)
		table := r.open(Config{SQL: "SELECT k, min(u) AS u FROM doc GROUP BY k", Key: []string{"k"}, Page: 64, Batch: 64})
		groups, err := table.Count(r.Context())
		if err != nil {
			r.Fatal(err)
		}
		stamps := readStamps("", table.StampsInRange(r.Context(), all))
		keys := doc.OIDs(stamps.stamps)
		if table.Ordered() && !slices.IsSorted(keys) {
			r.Errorf("%s: got the order %v, want the order of OIDs", k.Type, keys)
		}
		if n := len(doc.SetOf(keys)); int64(n) != groups || len(keys) != n || stamps.err != nil {
			r.Errorf("%s: got %d keys of %d stamps, %v, want %d", k.Type, n, len(keys), stamps.err, groups)
		}
		r.checkPrinted(table, keys)
		r.checkFetched(table, keys)
	}
}

func (r *run) drawRows(k KeyType, random *rand.Rand) {
	r.Helper()
	draw := k.Draw
	if draw == nil {
		draw = func(random *rand.Rand) string { return r.h.Facts.Literal(k.Values[random.IntN(len(k.Values))]) }
	}
	all := []string{"CREATE TABLE doc (k " + k.Type + ", u {time})"}
	if k.Setup != "" {
		all = slices.Insert(all, 0, k.Setup)
	}
	for range drawnRows {
		all = append(all, "INSERT INTO doc VALUES ("+draw(random)+", {@1})")
	}
	r.exec(all...)
}

// checkPrinted checks that a key's text is the text of no other key.
func (r *run) checkPrinted(table SQLTable, keys []doc.OID) {
	r.Helper()
	for _, key := range keys {
		if again, err := doc.ParseOID(key.String(), table.Kinds()); err != nil || again != key {
			r.Errorf("%q: got key %x, %v, want %x", key, string(again), err, string(key))
		}
	}
}

// checkFetched checks that each key finds its row, or the reason why it has no
// document.
func (r *run) checkFetched(table SQLTable, keys []doc.OID) {
	r.Helper()
	read := readBatches("", table.Docs(r.Context(), keys))
	found := append(doc.OIDs(read.docs), doc.OIDs(read.rejects)...)
	if got := doc.SetOf(found); read.err != nil || len(got) != len(keys) || len(found) != len(keys) {
		r.Errorf("Docs: got %d rows of %d keys, %v, want %d", len(found), len(got), read.err, len(keys))
	}
	if of, err := table.StampsOf(r.Context(), keys); err != nil || len(of) != len(keys) {
		r.Errorf("StampsOf: got %d stamps, %v, want %d", len(of), err, len(keys))
	}
}
