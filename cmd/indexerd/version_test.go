package main

import (
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"

	"indexerd/internal/base/release"
)

// The flags of packaging/ldflags.sh, with which build builds, set what is printed. The
// first two words of the line are what scripts read.
func TestVersionOfTheBinary(t *testing.T) {
	t.Parallel()
	want := "indexerd " + release.Version + " (commit " + builtCommit + ", " + builtDate + ")\n"
	for _, arg := range []string{"version", "--version"} {
		if out, err := exec.Command(binary(t), arg).CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("indexerd %s: got %q, %v, want %q", arg, out, err, want)
		}
	}
}

func TestVersionOf(t *testing.T) {
	vcs := func(settings ...string) *debug.BuildInfo {
		info := new(debug.BuildInfo)
		for _, s := range settings {
			key, value, _ := strings.Cut(s, "=")
			info.Settings = append(info.Settings, debug.BuildSetting{Key: key, Value: value})
		}
		return info
	}
	const revision, at = "vcs.revision=0123456789abcdef0123456789abcdef01234567", "vcs.time=2026-11-21T10:15:30Z"
	for _, test := range []struct {
		commit, date string
		info         *debug.BuildInfo
		want         string
	}{
		{"", "", nil, "commit unknown"},
		{"", "", vcs("-trimpath=true"), "commit unknown"},
		{"", "", vcs(revision, at, "vcs.modified=false"), "commit 0123456789ab, 2026-11-21T10:15:30Z"},
		{"", "", vcs(revision, at, "vcs.modified=true"), "commit 0123456789ab-dirty, 2026-11-21T10:15:30Z"},
		{"fedcba987654", "2026-11-22T10:15:30Z", vcs(revision, at), "commit fedcba987654, 2026-11-22T10:15:30Z"},
		{"fedcba987654", "", nil, "commit fedcba987654"},
	} {
		if got, want := versionOf(test.commit, test.date, test.info), "indexerd "+release.Version+" ("+test.want+")"; got != want {
			t.Errorf("%q, %q, %v: got %q, want %q", test.commit, test.date, test.info, got, want)
		}
	}
}
