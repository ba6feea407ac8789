package main

import (
	"math"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"
)

func TestCgroupLimit(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"no cgroups", nil, math.MaxInt64},
		{"a service", map[string]string{
			"proc/self/cgroup": "0::/system.slice/indexerd.service\n",
			"sys/fs/cgroup/system.slice/indexerd.service/memory.max":  "1073741824\n",
			"sys/fs/cgroup/system.slice/indexerd.service/memory.high": "max\n",
		}, 1 << 30},
		{"high before max", map[string]string{
			"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "3000\n", "sys/fs/cgroup/a/memory.high": "2000\n",
		}, 2000},
		{"a limit above", map[string]string{
			"proc/self/cgroup": "0::/a/b/c\n", "sys/fs/cgroup/a/memory.max": "4000\n", "sys/fs/cgroup/a/b/memory.max": "5000\n", "sys/fs/cgroup/a/b/c/memory.max": "max\n",
		}, 4000},
		{"a container that sees only itself", map[string]string{
			"proc/self/cgroup": "0::/../host/path\n", "sys/fs/cgroup/memory.max": "6000\n",
		}, 6000},
		{"no limit", map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, math.MaxInt64},
		{"the first version", map[string]string{
			"proc/self/cgroup": "5:cpu,cpuacct:/x\n4:hugetlb,memory:/docker/id\n1:name=systemd:/y\n",
			"sys/fs/cgroup/memory/docker/id/memory.limit_in_bytes": "7000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":           "9223372036854771712\n",
		}, 7000},
		{"the first version without a limit", map[string]string{
			"proc/self/cgroup": "4:memory:/\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
		}, math.MaxInt64},
		{"both versions", map[string]string{
			"proc/self/cgroup": "4:memory:/a\n0::/b\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "8000\n", "sys/fs/cgroup/b/memory.max": "9000\n",
		}, 8000},
		{"what can't be read", map[string]string{"proc/self/cgroup": "nonsense\n0::/a\n", "sys/fs/cgroup/a/memory.max": "lots\n"}, math.MaxInt64},
	} {
		root := fstest.MapFS{}
		for name, text := range c.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := cgroupLimit(root); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

// Go's memory limit is four fifths of the cgroup's, unless GOMEMLIMIT is set. The
// limit is the process's, so each case runs in a separate process.
func TestLimitMemory(t *testing.T) {
	root := fstest.MapFS{"proc/self/cgroup": {Data: []byte("0::/a\n")}, "sys/fs/cgroup/a/memory.max": {Data: []byte("1000000000\n")}}
	if os.Getenv("INDEXERD_MEMLIMIT") != "" {
		limitMemory(os.LookupEnv, root)
		t.Logf("limit %d.", debug.SetMemoryLimit(-1))
		return
	}
	for _, c := range []struct{ env, want string }{
		{"A=b", "limit 800000000."},
		{"GOMEMLIMIT=123456789", "limit 123456789."},
		{"GOMEMLIMIT=off", "limit 9223372036854775807."},
	} {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestLimitMemory$", "-test.v")
		for _, one := range os.Environ() {
			if !strings.HasPrefix(one, "GOMEMLIMIT=") {
				cmd.Env = append(cmd.Env, one)
			}
		}
		cmd.Env = append(cmd.Env, "INDEXERD_MEMLIMIT=1", c.env)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: got %s, %v; want %s", c.env, out, err, c.want)
		}
	}
}
