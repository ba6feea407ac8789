// Package nofailfile stops failing property tests from writing files into the
// tree. Test files that use rapid import it for its side effect:
//
//	import _ "indexerd/internal/test/nofailfile"
//
// By default, rapid writes each failure to testdata/rapid of the package and
// replays the file in all later runs, also if a mutant caused the failure. With
// this package, a failure prints a seed, and -rapid.seed repeats it:
//
//	To reproduce, specify -run="TestModel" -rapid.seed=7970011742123422609
//
// To keep a failure, write a test for it. The flag -rapid.nofailfile=false makes
// rapid write the file.
package nofailfile

import (
	"flag"

	_ "pgregory.net/rapid" // defines rapid.nofailfile
)

func init() {
	if err := flag.Set("rapid.nofailfile", "true"); err != nil {
		panic(err)
	}
}
