package main

// ofSearches are the mutants of R29: a search shows what its caller may see, as it is now.
var ofSearches = []mutant{
	{rule: "R29", name: "a fresh hit is shown without its ACL", pkg: "internal/index/fulltext", function: "Requests.Matching",
		edit:  replace("r.Visible", "nil"),
		tests: "TestMatching"},
	{rule: "R29", name: "a part number is looked up in what the caller may not see", pkg: "internal/index/search", function: "asked.hasToken",
		edit:  replace("a.Caller", "Caller{Admin: true}"),
		tests: "TestSearchBoxReveals"},
	{rule: "R29", name: "the intervals of a facet reach to what the caller may not see", pkg: "internal/index/search", function: "asked.ends",
		edit:  replace("p.Caller", "Caller{Admin: true}"),
		tests: "TestIntervalsOfACaller"},
	{rule: "R29", name: "the fields of a caller have the groups of documents", pkg: "internal/index/search", function: "Searcher.Describe",
		edit:  replace("s.forCaller(c)", "s.forCaller(Caller{Admin: true})"),
		tests: "TestDescribe"},
	{rule: "R29", name: "a fresh hit is shown though its row does not match any more", pkg: "internal/index/search", function: "freshTable.unchanged",
		edit:  replace("h == p.Hash", "h >= 0 || h == p.Hash"),
		tests: "TestFreshSearch"},
	{rule: "R29", name: "a fresh search of a standby that is behind leaves out hits", pkg: "internal/serve/tables", function: "lookIn",
		edit:  replace(`e == nil && r != ""`, "false"),
		tests: "TestFreshSearchOnAStandbyThatIsBehind", in: "internal/serve/daemon"},
	{rule: "R29", name: "a title shows the groups of a document", pkg: "configs", function: "reader.checkTitle",
		edit:  replace("n == t.ACL", "false"),
		tests: "TestBadFiles"},
	{rule: "R29", name: "the default title shows the groups of a document", pkg: "configs", function: "Table.setDefaults",
		edit:  replace("n == t.ACL", "false"),
		tests: "TestDefaultTitle"},
}
