package fulltext

import (
	"context"
	"errors"
	"slices"
	"testing"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/query"
)

func TestSearch(t *testing.T) {
	ix := newIndex(t, films)
	apply(t, ix, []doc.Doc{
		film(t, int64(1), 1, map[string]any{"title": "ACADEMY DINOSAUR", "description": "A Epic Drama of a Feminist And a Mad Scientist who must Battle a Teacher in The Canadian Rockies", "rating": "PG", "year": int64(2006), "updated": "2006-02-15T09:46:27.250000Z", "rented": true, "tags": []any{"old", "funny"}}),
		film(t, int64(2), 2, map[string]any{"title": "ACE GOLDFINGER", "description": "A Astounding Epistle of a Database Administrator And a Explorer", "rating": "G", "year": 2006.5, "updated": "2006-03-01", "rented": false}),
		film(t, int64(3), 3, map[string]any{"title": "Shark's drama: 武元衡", "description": "巧笑解迎人, git.exe and 3.14", "rating": "PG-13", "year": int64(-5), "tags": []any{"funny"}}),
		film(t, int64(4), 4, nil),
	})
	all := []string{"1", "2", "3", "4"}
	for text, want := range map[string][]string{
		"":                                  all,
		"*":                                 all,
		"drama":                             {"1", "3"},
		"DRAMA":                             {"1", "3"},
		"drama scientist":                   {"1"},
		"academy scientist":                 {"1"}, // across columns
		"drama OR explorer":                 {"1", "2", "3"},
		"drama -shark":                      {"1"},
		"-drama":                            {"2", "4"},
		"-drama -epistle":                   {"4"},
		"(drama OR explorer) -dinosaur":     {"2", "3"},
		"nothing -drama":                    {},
		"nothing OR -drama":                 {"2", "4"},
		`"mad scientist"`:                   {"1"},
		`"scientist mad"`:                   {},
		`"dinosaur epic"`:                   {}, // from one column into the next
		`"feminist and a mad scientist"`:    {"1"},
		`"feminist mad"`:                    {}, // stop words count as positions
		"the":                               {},
		"the drama":                         {"1", "3"},
		"-the drama":                        {"1", "3"},
		"the OR drama":                      {"1", "3"},
		"...":                               {},
		"dino*":                             {"1"},
		"d*":                                {"1", "2", "3"},
		"DINO*":                             {"1"},
		"title:drama":                       {"3"},
		"description:drama":                 {"1"},
		"title:d*":                          {"1", "3"},
		`title:"ace goldfinger"`:            {"2"},
		"git.exe":                           {"3"},
		"exe":                               {"3"},
		"exe.git":                           {},
		"3.14":                              {"3"},
		"git.ex*":                           {"3"},
		"武":                                 {"3"},
		"元衡":                                {"3"},
		"衡元":                                {},
		"rating:PG":                         {"1"},
		"rating:pg":                         {},
		"rating:PG-13":                      {"3"},
		"rating:PG*":                        {"1", "3"},
		`rating:""`:                         {},
		"rating:*":                          {"1", "2", "3"},
		"-rating:*":                         {"4"},
		"-rating:none":                      all,
		"rating:none -drama":                {},
		"rating:[G TO PG]":                  {"1", "2"},
		"tags:funny":                        {"1", "3"},
		"year:2006":                         {"1"},
		"year:2006.5":                       {"2"},
		"year:-5":                           {"3"},
		"year:>2006":                        {"2"},
		"year:>=2006":                       {"1", "2"},
		"year:<2006":                        {"3"},
		"year:<=2006":                       {"1", "3"},
		"year:[-5 TO 2006]":                 {"1", "3"},
		"year:[* TO 0]":                     {"3"},
		"updated:2006":                      {"1", "2"},
		"updated:2006-02":                   {"1"},
		"updated:2006-02-15":                {"1"},
		"updated:2006-02-15T09:46:27Z":      {"1"},
		"updated:2006-02-15T09:46:27.2Z":    {"1"},
		"updated:2006-02-15T09:46:27.3Z":    {},
		"updated:2006-02-15T10:46:27+01:00": {"1"},
		"updated:>2006-02":                  {"2"},
		"updated:<=2006-02":                 {"1"},
		"updated:[2006-02 TO 2006-03]":      {"1", "2"},
		"rented:true":                       {"1"},
		"rented:false":                      {"2"},
		"drama rating:PG":                   {"1"},
		"drama -rating:PG":                  {"3"},
	} {
		res := ask(t, ix, text)
		if got := slices.Sorted(slices.Values(keys(res))); !slices.Equal(got, want) || res.Total != uint64(len(want)) {
			t.Errorf("%s: got %v (total %d), want %v", text, got, res.Total, want)
		}
	}
}

func TestSearchErrors(t *testing.T) {
	ix := newIndex(t, films)
	values, sorts, facets := slices.Repeat([]string{"x"}, query.MaxValues), slices.Repeat([]query.Sort{{Field: "rating"}}, query.MaxSorts), slices.Repeat([]query.Facet{{Field: "rating", Size: 1}}, query.MaxFacets)
	for text, want := range map[string]string{
		"rting:PG":        "no field rting: did you mean rating?",
		"http://x":        "no field http: there are title, description, rating, year, updated, rented, tags",
		"year:old":        "field year: old is not a number: write a number as 5, -1.5 or 1e6",
		"year:20*":        "field year: 20* is not a number: only words and keywords are searched by prefix",
		"updated:2006-13": "field updated: 2006-13 is not a date: write it as 2006, 2006-01, 2006-01-02 or 2006-01-02T15:04:05Z",
		"rented:maybe":    "field rented: maybe is not a boolean: write true or false",
		"title:>a":        "field title is text, searched by its words: list it under metadata to filter, sort, compare or count it",
	} {
		checkError(t, ix, query.Request{Query: parse(t, text)}, want)
	}
	for want, req := range map[string]query.Request{
		"size is 1001 and must be between 0 and 1000: page with after":                                                            {Size: 1001},
		"size is -1 and must be between 0 and 1000: page with after":                                                              {Size: -1},
		"from is -1: leave it out to begin with the first hit":                                                                    {From: -1},
		"a search takes from or after, not both: leave one of them out":                                                           {From: 1, After: "x"},
		"from 9991 and size 10 reach beyond hit 10000: set after to the next of the previous answer":                              {From: 9991, Size: 10},
		"after x is not valid in this search: set after to the next of the previous answer and keep the sort, or leave after out": {After: "x"},
		"17 facets, more than 16: count fewer at a time":                                                                          {Facets: append(slices.Clone(facets), facets[0])},
		"9 fields to sort by, more than 8: sort by fewer":                                                                         {Sort: append(slices.Clone(sorts), sorts[0])},
		"facet rating: 1001 values, not 1 to 1000: write the number of values to return":                                          {Facets: []query.Facet{{Field: "rating", Size: query.MaxCounts + 1}}},
		query.TooManyValues(query.MaxValues + 1).Error():                                                                          {Filters: []query.Filter{{Field: "rating", Values: values}, {Field: "year", Values: []string{"1"}}}},
		"no field yaer: did you mean year?":                                                                                       {Sort: []query.Sort{{Field: "yaer"}}},
		"no facets of field year: it is a number: only keywords are counted":                                                      {Facets: []query.Facet{{Field: "year", Size: 1}}},
		"facet rating: 0 values, not 1 to 1000: write the number of values to return":                                             {Facets: []query.Facet{{Field: "rating"}}},
		"no field x: there are title, description, rating, year, updated, rented, tags":                                           {Filters: []query.Filter{{Field: "x", Values: []string{"1"}}}},
	} {
		checkError(t, ix, req, want)
	}
	atLimits := query.Request{Facets: facets, Sort: sorts, Filters: []query.Filter{{Field: "rating", Values: values}}, From: query.MaxWindow - query.MaxSize, Size: query.MaxSize}
	if _, err := ix.Search(context.Background(), atLimits); err != nil {
		t.Errorf("at the limits: %v", err)
	}
}

func checkError(t *testing.T, ix *Index, req query.Request, want string) {
	t.Helper()
	_, err := ix.Search(context.Background(), req)
	var bad *query.Error
	if !errors.As(err, &bad) {
		t.Errorf("got error %v, want a query.Error: %s", err, want)
	} else if bad.Error() != want {
		t.Errorf("got  %s\nwant %s", bad, want)
	}
}

func TestSearchWithoutPositions(t *testing.T) {
	m := films
	m.Positions = false
	ix := newIndex(t, m)
	checkError(t, ix, query.Request{Query: parse(t, `"mad scientist"`)}, "the phrase \"mad scientist\" can't be found in an index without positions: search for its words without quotes, or set positions: true for this table")
	apply(t, ix, []doc.Doc{
		film(t, int64(1), 1, map[string]any{"title": "mad scientist", "description": "git.exe"}),
		film(t, int64(2), 1, map[string]any{"title": "scientist", "description": "exe of git"}),
	})
	for text, want := range map[string][]string{
		"mad scientist": {"1"},
		`"scientist"`:   {"1", "2"},
		"git.exe":       {"1", "2"}, // both words, wherever they stand
		"git.ex*":       {"1", "2"},
	} {
		if got := findSorted(t, ix, text); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}
