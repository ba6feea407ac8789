// Package tool is the wing of commands that need no running daemon: proposal,
// which is init, inspect, which is check, and demo, a database that changes. It may import
// base, configs, source and the schema of index. The wing serve and cmd may
// import it.
package tool
