// This wing reads databases: source is the engine that all vendors share, dialect
// is what it asks of a vendor, each vendor has a package, stdsql is what those share
// that use database/sql, horizon proves which updateTimes can no longer be
// committed, and changes reports which tables changed. It may import base only. The
// wings sync, tool and serve may import it.
package source
