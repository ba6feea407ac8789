// Package nofailfile keeps failing property tests from writing into the tree.
// Tests that use rapid import it for its effect alone:
//
//	import _ "indexerd/internal/nofailfile"
//
// By default rapid writes each failure to testdata/rapid below the package, and
// replays the file in all later runs, also when the failure was that of a
// mutant or of work in progress. With this package a failure prints the seed
// instead, and -run and -rapid.seed replay it:
//
//	To reproduce, specify -run="TestModel" -rapid.seed=7970011742123422609
//
// A failure that is worth keeping becomes a test of its own. For a file, give
// -rapid.nofailfile=false to the test.
package nofailfile

import (
	"flag"

	_ "pgregory.net/rapid" // defines the flag
)

func init() {
	if err := flag.Set("rapid.nofailfile", "true"); err != nil {
		panic(err)
	}
}
