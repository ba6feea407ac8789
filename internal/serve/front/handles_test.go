package front

import (
	"testing"

	"indexerd/configs"
)

func TestConnectionsLeaveHandlesToTables(t *testing.T) {
	for _, c := range []struct {
		tables  int
		handles uint64
		want    int
		enough  bool
	}{
		{1, 65536, mostConnections, true},
		{1, 1024, 512, true},
		{30, 1024, 1024 - ownHandles - 30*24, true},
		{40, 1024, leastConnections, false},
		{1000, 20000, mostConnections, true}, // most tables are idle
	} {
		got, enough := connectionsFor(&configs.Config{Tables: make([]configs.Table, c.tables)}, c.handles)
		if got != c.want || enough != c.enough {
			t.Errorf("%d tables, %d handles: got %d, %v, want %d, %v", c.tables, c.handles, got, enough, c.want, c.enough)
		}
	}
}
