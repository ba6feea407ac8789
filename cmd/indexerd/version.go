package main

import (
	"fmt"
	"runtime/debug"

	"indexerd/internal/base/release"
)

// The last commit of the source and its time, as 2006-01-02T15:04:05Z. The linker sets
// both, with the flags that packaging/ldflags.sh prints.
var commitHash, commitDate string

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(w world) error {
	fmt.Fprintln(w.stdout, version())
	return nil
}

// version returns the line that indexerd version prints.
func version() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(commitHash, commitDate, info)
}

// versionOf returns the line of a build. If the linker has set no commit, it takes that
// of the go command, if there is one.
func versionOf(commit, date string, info *debug.BuildInfo) string {
	if commit == "" && info != nil {
		set := map[string]string{}
		for _, s := range info.Settings {
			set[s.Key] = s.Value
		}
		commit, date = set["vcs.revision"], set["vcs.time"]
		commit = commit[:min(len(commit), 12)]
		if set["vcs.modified"] == "true" {
			commit += "-dirty"
		}
	}
	of := "commit unknown"
	if commit != "" {
		of = "commit " + commit
		if date != "" {
			of += ", " + date
		}
	}
	return fmt.Sprintf("indexerd %s (%s)", release.Version, of)
}
