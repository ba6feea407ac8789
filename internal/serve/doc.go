// Package serve is the wing of the running daemon: its life cycle and tables,
// the databases of a configuration, the HTTP interface with the dashboard, the
// OpenSearch API, and client connections. It may import every other wing but
// test. Only cmd/indexerd may import it.
package serve
