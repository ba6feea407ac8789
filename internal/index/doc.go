// Package index is the wing of full-text indexes: analysis, queries, the
// embedded engine (fulltext), the one on a cluster (opensearch), search, which
// answers from index and pages, and reindex. It may import base, and timetrace
// for marks. The wings sync, serve and tool may import it.
package index
