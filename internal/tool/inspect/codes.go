package inspect

// A code is a kind of finding.
type code int

// The codes, in the order of docs/check.md.
const (
	configFault code = iota
	badDSN
	unreachable
	selectDenied
	queryFailed
	indexUnreachable
	marksUnreachable
	marksMoved
	indexDenied
	indexOwned
	volatileSQL
	duplicateKey
	noTLS
	tlsUnverified
	pooler
	noSnapshots
	superuser
	canWrite
	clockOffset
	noIndexOnUpdated
	noIndexOnKey
	noIndexOnChildKey
	indexUnused
	joinedWhole
	planUnknown
	nullUpdated
	futureUpdated
	outOfRangeUpdated
	constantUpdated
	coarseUpdated
	ambiguousTimes
	impossibleTimes
	zoneDiffers
	unorderedAggregate
	unindexableRows
	partialRows
	childWithoutUpdated
	horizonNotExact
	unboundedTransactions
	diskSpace
	dataRights
	aclOpen
	tlsByProxy
	indexOneCopy
	indexUntested
	serverFound
	addressRead
	indexFound
	clockRead
	statsHidden
	tableRead
	unitFound
	emptyResult
	windowCost
	changesFound
	silentChanges
	childChanges
	joinedTables
	horizonMode
	notLookedAt
	codes
)

// The levels of findings, the most serious first.
const (
	Error   = "error"
	Warning = "warning"
	Info    = "info"
)

// A kind describes a code in docs/check.md. Scripts use the name, so it never
// changes.
type kind struct{ name, level, means, remedy string }

const (
	indexRemedy  = "Run the `CREATE INDEX` that the finding shows."
	readerRemedy = "Create a separate role that has `SELECT` on these tables only."
)

var kinds = [codes]kind{
	configFault:      {"config", Error, "The configuration is wrong, by itself or for this database.", "Correct the line that the finding names."},
	badDSN:           {"bad_dsn", Error, "The address of a database is not valid.", "Correct the source's `dsn`."},
	unreachable:      {"unreachable", Error, "A database does not answer.", "Start the database, or correct its address."},
	selectDenied:     {"select_denied", Error, "The role has no `SELECT` privilege on a table of the SQL.", "Run the `GRANT` that the finding shows, as the table's owner."},
	queryFailed:      {"query_failed", Error, "The SQL failed while rows were read.", "Run the SQL yourself to see why."},
	marksUnreachable: {"marks_unreachable", Error, "etcd, which has the marks, does not answer, or refuses the user.", "Start etcd, or correct `marks`. See [standby.md](standby.md)."},
	marksMoved:       {"marks_moved", Error, "The marks are in another place than `marks` names, or a move of them was cut.", "Run `indexerd move` again, or correct `marks`. See [standby.md](standby.md)."},
	indexUnreachable: {"index_unreachable", Error, "The cluster that holds the indexes does not answer, or is of another kind.", "Start the cluster, or correct `index`."},
	indexDenied:      {"index_denied", Error, "The cluster refuses a request that indexerd sends.", "Grant the privilege that the finding shows."},
	indexOwned:       {"index_owned", Error, "The index of a table belongs to another data directory.", "Write another `prefix`, or end the other daemon and run `indexerd run --take-over`."},
	volatileSQL: {"volatile_sql", Error, "Rows had other values when they were read again: the SQL uses `now()`, `random()` or a similar function.",
		"Remove values that change by themselves from the SQL."},
	duplicateKey: {"duplicate_key", Error, "The SQL returns several rows with the same key. Their document would change with every read.", "Use `GROUP BY`, make the other rows a child, or add columns to `key`."},

	noTLS:         {"no_tls", Warning, "The connection crosses a network and is not encrypted.", "Add to the DSN what the finding shows."},
	tlsUnverified: {"tls_unverified", Warning, "The connection is encrypted, but the server's certificate is not verified.", "Add to the DSN what the finding shows."},
	noSnapshots:   {"no_snapshots", Warning, "The database gives each statement a separate snapshot. A document may show two moments until the next comparison.", "Run the `ALTER DATABASE` that the finding shows."},
	pooler:        {"pooler", Warning, "The connection leads through a connection pooler, so no horizon is exact. Settings that another client leaves in a session may change what the SQL returns.", "Name the server itself in the source's `dsn`."},
	superuser:     {"superuser", Warning, "The role is a superuser, or may do as much.", readerRemedy},
	canWrite:      {"can_write", Warning, "The role can also write tables that it reads.", readerRemedy},
	clockOffset:   {"clock_offset", Warning, "The clocks of the database and of this machine differ by more than 5 s. Windows use the database's clock.", "Synchronize both clocks with NTP."},
	noIndexOnUpdated: {"no_index_on_updated", Warning, "There is no index on `updated`, so each window reads a whole table of more than 10,000 rows.",
		indexRemedy},
	noIndexOnKey:      {"no_index_on_key", Warning, "There is no index on the key, so each batch reads a whole table of more than 10,000 rows.", indexRemedy},
	noIndexOnChildKey: {"no_index_on_child_key", Warning, "There is no index on a child's key, so each batch reads the whole child, of more than 10,000 rows.", indexRemedy},
	indexUnused:       {"index_unused", Warning, "There is an index, but the database does not use it.", "Update the statistics as the finding shows. If that changes nothing, simplify the SQL."},
	joinedWhole:       {"joined_whole", Warning, "A query for a few rows reads a whole joined table of more than 10,000 rows.", "Create an index on the columns of the join."},
	planUnknown:       {"plan_unknown", Warning, "The database's `EXPLAIN` has an unknown form, or is refused: indexes, joined tables and write privileges are not checked.", "Grant what the finding names, or report the database's release."},
	nullUpdated:       {"null_updated", Warning, "Rows have a NULL in `updated`. They are loaded, but no window finds their changes: comparison does, or the sweep.", "Fill the column, and make it `NOT NULL`."},
	futureUpdated:     {"future_updated", Warning, "Rows have a future time in `updated`. Their changes are found then, or by comparison or the sweep.", "Find what writes these times. If the column has no time zone, check `timezone`."},
	outOfRangeUpdated: {"out_of_range_updated", Warning, "Rows have an implausible time in `updated`: before 1990, or more than a year after the database's clock. Comparison finds their changes, or the sweep. `status` counts them as `out_of_range`.", "Find what writes these times. If the column is a number in another unit, declare the `unit` of `updated`."},
	constantUpdated:   {"constant_updated", Warning, "All rows have the same time in `updated`, and no trigger sets it. This is normal after a bulk load only.", "Set the column with every `UPDATE`, by a trigger or in the application."},
	coarseUpdated:     {"coarse_updated", Warning, "`updated` has a precision of minutes or days, so each window reads the last rows again.", "Use a timestamp."},
	ambiguousTimes:    {"ambiguous_times", Warning, "Rows of the last year have times in the hour that occurs twice in `timezone` when daylight saving time ends. Windows read both.", "Use a column with a time zone, or write it in UTC."},
	impossibleTimes:   {"impossible_times", Warning, "Rows of the last year have times that do not exist in `timezone`, since daylight saving time began.", "Check that the times are written in `timezone`. They may be in UTC."},
	zoneDiffers:       {"zone_differs", Warning, "The database and indexerd convert times of `timezone` differently.", "Update the time zone data of both."},
	unorderedAggregate: {"unordered_aggregate", Warning, "An aggregate that joins values has no `ORDER BY`, so its text may differ each time.",
		"Write `ORDER BY` inside the aggregate."},
	unindexableRows:       {"unindexable_rows", Warning, "Some rows of a sample of 1,000 can't become documents and would go to quarantine.", "Repair the rows, or correct the SQL."},
	partialRows:           {"partial_rows", Warning, "Some rows of a sample of 1,000 have values that do not fit their fields. They are indexed without these values.", "Give the field another type, repair the rows, or cast the column in the SQL."},
	childWithoutUpdated:   {"child_without_updated", Warning, "A child or an extra has no `updated`, so comparison finds its changes, or the sweep.", "Set `updated` to the column with the time of the last change of its rows."},
	horizonNotExact:       {"horizon_not_exact", Warning, "`horizon: exact` is set, but the database has no exact horizon now.", "Do what the finding shows, or set `horizon: auto`."},
	unboundedTransactions: {"unbounded_transactions", Warning, "The settled time assumes that no transaction stays open longer than the tiers look back, but the database allows it.", "Limit transactions as the finding shows, or give the last tier a longer timeout."},
	diskSpace:             {"disk_space", Warning, "The file system of `data` has less than 1 GiB free.", "Free some space, or use another directory."},
	dataRights:            {"data_rights", Warning, "Users other than the owner can read the directory `data`, which holds the indexed rows.", "Run the `chmod` that the finding shows."},
	aclOpen:               {"acl_open", Warning, "A table has an `acl`, but there are no tokens: every user of this machine finds every document.", "Add `http.tokens`, each with its groups."},
	tlsByProxy:            {"tls_by_proxy", Warning, "A proxy ends TLS, so requests come here without it, under any `Host`.", "Let only the proxy reach this address, over a network that you trust."},
	indexUntested:         {"index_untested", Warning, "The indexes are in a product or version that was not tested, such as Elasticsearch.", "Use OpenSearch 2 or 3, or compare often: `indexerd verify --content`."},
	indexOneCopy:          {"index_one_copy", Warning, "New indexes in the OpenSearch cluster have no replicas.", "Write `replicas: 1`, if the cluster has several nodes."},

	indexFound:    {"index", Info, "The cluster's product and version, and the privileges that its user needs.", ""},
	serverFound:   {"server", Info, "The database's version, its address, the connection and the role.", ""},
	addressRead:   {"address", Info, "What `dsn` has of other programs, which was translated or ignored.", ""},
	clockRead:     {"clock", Info, "The difference between the clocks of the database and of this machine.", ""},
	statsHidden:   {"stats_hidden", Info, "The role can't see when transactions of other roles began. The horizon is exact, but the settled time may advance later.", "Run the `GRANT` that the finding shows."},
	tableRead:     {"table", Info, "The number of rows that the SQL returns, the type of the key, and the precision of `updated`.", ""},
	unitFound:     {"unit", Info, "The unit of a numeric `updated` column: the declared one, or that of most rows.", "To declare it: `updated: {column: ..., unit: ...}`."},
	emptyResult:   {"empty_result", Info, "The SQL returns no rows.", ""},
	windowCost:    {"window_cost", Info, "The planner's estimate of the cost of one window.", ""},
	changesFound:  {"changes", Info, "How changed and deleted rows are found, and how soon; for a table without `updated`, what a comparison costs.", ""},
	silentChanges: {"silent_changes", Info, "How changes are found that leave `updated` alone, and what a comparison costs.", ""},
	childChanges:  {"child", Info, "How changed and deleted rows of a child are found, and how soon.", ""},
	joinedTables:  {"joined_tables", Info, "A change in a joined table does not change `updated`, so comparison finds it, or the sweep.", "If that is too late, add its time to `updated` with `greatest(...)`, or make it a child."},
	horizonMode:   {"horizon", Info, "How the settled time is found: exact, assumed or compared, and why.", ""},
	notLookedAt:   {"not_looked_at", Info, "A query was cancelled because it took too long.", ""},
}
