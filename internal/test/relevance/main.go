// Relevance judges the order of hits by collections of documents and queries whose
// relevant documents people named. It prints nDCG@10 and MAP, means over all judged
// queries, of the plain and the tuned order, of SQLite's FTS5 by bm25 and, if its
// address is given, of an OpenSearch server. All search any of the words of a query.
//
//	go run ./internal/test/relevance [-opensearch URL] DIR
//
// DIR has NAME.all, NAME.qry and NAME.rel of each collection, as Cranfield and CISI are
// published by the University of Glasgow. They are not part of this project.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"indexerd/internal/index/analysis"
	"indexerd/internal/index/fulltext/schema"
)

func main() {
	url := flag.String("opensearch", "", "address of a server")
	flag.Parse()
	if err := run(flag.Arg(0), *url); err != nil {
		fmt.Fprintln(os.Stderr, "relevance:", err)
		os.Exit(1)
	}
}

func run(dir, url string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.all"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no NAME.all in %q: name a directory with a collection, such as Cranfield's cran.all, cran.qry and cran.rel", dir)
	}
	missed := false
	for _, file := range files {
		c, err := readCollection(dir, strings.TrimSuffix(filepath.Base(file), ".all"))
		if err != nil {
			return err
		}
		ok, err := c.compare(url)
		if err != nil {
			return err
		}
		missed = missed || !ok
	}
	if missed {
		return errors.New("MISS")
	}
	return nil
}

// A scored is the mean of each measure.
type scored struct{ ndcg, precision float64 }

func (c *collection) score(found ranking) (s scored) {
	for id, gains := range c.gains {
		s.ndcg += ndcg(found[id], gains) / float64(len(c.gains))
		s.precision += averagePrecision(found[id], gains) / float64(len(c.gains))
	}
	return s
}

// compare prints the measures of all engines. It reports whether the nDCG of the tuned
// order is 0.01 above that of other engines' default.
func (c *collection) compare(url string) (ok bool, err error) {
	fmt.Printf("%s: %d documents, %d judged queries\n", c.name, len(c.docs), len(c.gains))
	show := func(name string, found ranking) scored {
		s := c.score(found)
		fmt.Printf("  %-28s nDCG@10 %.4f  MAP %.4f\n", name, s.ndcg, s.precision)
		return s
	}
	var own [6]scored
	for i, of := range []struct {
		name string
		schema.Mapping
	}{
		{"plain", schema.Mapping{Analyzer: "standard", AnalysisVersion: analysis.Latest}},
		{"tuned", schema.Mapping{Analyzer: "standard", AnalysisVersion: analysis.Latest}},
		{"tuned, English", schema.Mapping{Analyzer: "standard", AnalysisVersion: analysis.Latest, Language: "en"}},
		{"plain, first analysis", schema.Mapping{Analyzer: "standard"}},
		{"tuned, first analysis", schema.Mapping{Analyzer: "standard"}},
		{"tuned, English, first", schema.Mapping{Analyzer: "en"}},
	} {
		found, err := ownRanking(c, of.Mapping, strings.HasPrefix(of.name, "tuned"))
		if err != nil {
			return false, err
		}
		own[i] = show(of.name, found)
	}
	found, err := fts5Ranking(c)
	if err != nil {
		return false, err
	}
	best := show("FTS5", found).ndcg
	if url != "" {
		types := []string{"best_fields", "most_fields", "cross_fields"}
		all, err := openSearch{url}.rankings(c, types)
		if err != nil {
			return false, err
		}
		best = max(best, show("OpenSearch, its default", all[0]).ndcg)
		for i, found := range all[1:] {
			show("OpenSearch "+types[i+1], found)
		}
	}
	verdict := "ok"
	if ok = own[1].ndcg >= best+0.01; !ok {
		verdict = "MISS"
	}
	fmt.Printf("relevance: %s tuned=%.4f plain=%.4f others=%.4f %s\n", c.name, own[1].ndcg, own[0].ndcg, best, verdict)
	return ok, nil
}
