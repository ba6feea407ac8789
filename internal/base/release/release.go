// Package release names the release that this is.
package release

// Version is set by the linker where it is built for a release.
var Version = "1.0.0"
