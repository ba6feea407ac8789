package front

import (
	"log/slog"
	"math"
	"net"
	"syscall"

	"indexerd/configs"
	"indexerd/internal/serve/clients"
)

// The file handles of the process are shared: client connections get at most half
// of them, and leave a reserve for the stored files and for the databases. An idle
// table has 4 files open, one that loads or merges several times as many. Of
// hundreds of tables most are idle.
const (
	mostConnections  = 1024
	leastConnections = 8
	ownHandles       = 64 // the log, marks, backups, the runtime's own
	handlesPerTable  = 8
	handlesAtWork    = 16  // more, of a table that loads or merges
	atWorkAtOnce     = 100 // tables
)

// connectionsFor is how many connections of clients may be open at once, and
// whether that leaves the reserve.
func connectionsFor(cfg *configs.Config, handles uint64) (connections int, enough bool) {
	reserve := ownHandles + handlesPerTable*len(cfg.Tables) + handlesAtWork*min(len(cfg.Tables), atWorkAtOnce)
	for _, s := range cfg.Sources {
		reserve += s.Limits.Connections
	}
	most := int(min(handles, math.MaxInt32))
	connections = min(most-reserve, most/2, mostConnections)
	return max(connections, leastConnections), connections >= leastConnections
}

// fileHandles is how many files and connections this process may have open. At
// its start Go raises the soft limit to the hard one.
func fileHandles() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0 // unknown: the least
	}
	return limit.Cur
}

// LimitConnections keeps clients from taking the handles that the storage needs.
func LimitConnections(cfg *configs.Config, l net.Listener, log *slog.Logger) *clients.Listener {
	handles := fileHandles()
	connections, enough := connectionsFor(cfg, handles)
	if !enough {
		log.Warn("indexerd may run out of file handles", "handles", handles, "tables", len(cfg.Tables), "do", "raise LimitNOFILE of the service, or ulimit -n")
	}
	return clients.NewListener(l, connections)
}
