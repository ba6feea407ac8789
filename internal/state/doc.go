// Package state is the wing of what the daemon knows about its tables besides
// pages and index: stamps, quarantine, history, backups of all of it, and the
// state that two daemons share in etcd. The marks are in the top-level package
// timetrace. It may import base, pages, store and timetrace. The wings sync and
// serve may import it.
package state
