// Package serve is the wing of the running daemon: its life cycle (daemon), a
// table and its passes (tables), what is stored of it (stored), what two daemons
// share and which of them leads (leader), moves between places (moves), and all
// that callers reach: front, clients, runs, httpapi with the dashboard, and osapi,
// the OpenSearch API. It may import every other wing but test. Only cmd/indexerd
// may import it.
package serve
