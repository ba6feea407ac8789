package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// The measures are those of an example that was worked out by hand.
func TestMeasures(t *testing.T) {
	gains := map[int]int{1: 2, 2: 1, 3: 1}
	hits := []int{2, 9, 1}
	want := (1 + 3/math.Log2(4)) / (3 + 1/math.Log2(3) + 1/math.Log2(4))
	if got := ndcg(hits, gains); math.Abs(got-want) > 1e-12 {
		t.Errorf("nDCG: got %v, want %v", got, want)
	}
	if got, want := averagePrecision(hits, gains), (1+2.0/3)/3; math.Abs(got-want) > 1e-12 {
		t.Errorf("average precision: got %v, want %v", got, want)
	}
	if got := ndcg([]int{1, 2, 3}, gains); got != 1 {
		t.Errorf("nDCG of the best order: got %v, want 1", got)
	}
}

// A collection is read as it is published: queries with other numbers in the grades, titles
// that texts repeat, grades that count nothing.
func TestReadCollection(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"x.all": ".I 1\n.T\nwings\n.A\nnobody\n.W\nwings\nof birds\n.I 2\n.T\n.W\nboats\n",
		"x.qry": ".I 001\n.W\nbirds\n.I 004\n.W\nboats\n",
		"x.rel": "1 1 2\n2 2 -1\n2 1 4\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := readCollection(dir, "x")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.docs) != 2 || c.docs[0] != (text{1, "wings\n", "of birds\n"}) || c.queries[1] != (text{4, "", "boats\n"}) {
		t.Errorf("got %+v", c)
	}
	if len(c.gains) != 2 || len(c.gains[4]) != 1 || c.gains[1][1] != 3 || c.gains[4][1] != 1 {
		t.Errorf("got the gains %v", c.gains)
	}
}
