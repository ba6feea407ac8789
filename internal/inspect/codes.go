package inspect

// A code is a kind of finding. Its name is for scripts, and stays.
type code int

// The codes. docs/check.md is made of their table.
const (
	configFault code = iota
	badDSN
	unreachable
	selectDenied
	queryFailed
	volatileSQL
	duplicateKey
	noTLS
	tlsUnverified
	superuser
	canWrite
	clockOffset
	noIndexOnUpdated
	noIndexOnKey
	noIndexOnChildKey
	indexUnused
	joinedWhole
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
	childWithoutUpdated
	horizonNotExact
	unboundedTransactions
	diskSpace
	dataRights
	aclOpen
	serverFound
	clockRead
	statsHidden
	tableRead
	unitFound
	emptyResult
	windowCost
	changesFound
	childChanges
	joinedTables
	horizonMode
	notLookedAt
	codes
)

// The levels of findings, the worst first.
const (
	Error   = "error"
	Warning = "warning"
	Info    = "info"
)

// A kind is what every finding of a code has in common.
type kind struct{ name, level, means, remedy string }

var kinds = [codes]kind{
	configFault:  {"config", Error, "The configuration has a fault, by itself or against what the database says.", "Mend the line that it names."},
	badDSN:       {"bad_dsn", Error, "The address of a database can't be read.", "Mend the source's `dsn`."},
	unreachable:  {"unreachable", Error, "A database does not answer.", "Start it, or mend the address."},
	selectDenied: {"select_denied", Error, "The role may not read a table of the SQL.", "Run the `GRANT` that it prints, as the table's owner."},
	queryFailed:  {"query_failed", Error, "A query that was prepared failed when it ran.", "Run the SQL by hand to see why."},
	volatileSQL: {"volatile_sql", Error, "The same rows were different when they were read again, a moment later: the SQL has `now()`, `random()` or the like. Every comparison would find every row changed.",
		"Take what changes by itself out of the SQL."},
	duplicateKey: {"duplicate_key", Error, "The SQL returns several rows with one key: one document would be now this row, now that.", "Group them, make the other rows a child, or name more columns in `key`."},

	noTLS:         {"no_tls", Warning, "A network lies between, and nothing is encrypted.", "Add `sslmode=verify-full` to the DSN."},
	tlsUnverified: {"tls_unverified", Warning, "The connection is encrypted, but the server's certificate is not checked: whoever stands between can be the server.", "Add `sslmode=verify-full` to the DSN, and `sslrootcert` where the authority is your own."},
	superuser:     {"superuser", Warning, "The role is a superuser. `SELECT` is all that the daemon needs.", "Make a role of its own, with `SELECT` on the tables alone."},
	canWrite:      {"can_write", Warning, "The role may also write tables that it reads.", "Make a role of its own, with `SELECT` on the tables alone."},
	clockOffset:   {"clock_offset", Warning, "The clocks of the database and of this machine differ by more than 5 s. Windows follow the database's.", "Set both by NTP."},
	noIndexOnUpdated: {"no_index_on_updated", Warning, "No index begins with updateTime, so each window reads a whole table of more than 10,000 rows.",
		"Run the `CREATE INDEX` that it prints."},
	noIndexOnKey:      {"no_index_on_key", Warning, "No index begins with the key, so each batch reads a whole table.", "Run the `CREATE INDEX` that it prints."},
	noIndexOnChildKey: {"no_index_on_child_key", Warning, "No index finds a child's rows by their parent's key, so each batch of documents reads the whole child.", "Run the `CREATE INDEX` that it prints."},
	indexUnused:       {"index_unused", Warning, "There is an index, and the database does not use it.", "Renew its statistics (`ANALYZE`); if that changes nothing, simplify the SQL."},
	joinedWhole:       {"joined_whole", Warning, "A question about a few rows reads a whole joined table of more than 10,000 rows.", "Index the columns that it is joined by."},
	nullUpdated:       {"null_updated", Warning, "Rows have no updateTime. They are loaded, but only the sweep finds their changes.", "Fill it, and make the column `NOT NULL`."},
	futureUpdated:     {"future_updated", Warning, "Rows have an updateTime that has not come. Their changes are found when it comes, or by the sweep.", "Find who writes it. Where the column has no zone, look at `timezone`."},
	outOfRangeUpdated: {"out_of_range_updated", Warning, "Rows have an updateTime that is no plausible time of a change: before 1990, or more than a year after the database's clock. They are loaded, but only the sweep finds their changes. `status` counts them as `out_of_range`.", "Find who writes it. Where most rows are meant otherwise, declare the `unit` of `updated`."},
	constantUpdated:   {"constant_updated", Warning, "All rows have the same updateTime, and no trigger sets it. That is well after a bulk load, and else says that nobody keeps it.", "Make sure that each `UPDATE` sets it, by a trigger or in the application."},
	coarseUpdated:     {"coarse_updated", Warning, "The updateTime counts days or minutes, so each window reads the last ones again.", "Use a timestamp."},
	ambiguousTimes:    {"ambiguous_times", Warning, "Rows of the last year have times of an hour that the clocks of `timezone` showed twice. Windows read both, and which one is meant is not known.", "Use a column with a time zone, or write it in UTC."},
	impossibleTimes:   {"impossible_times", Warning, "Rows of the last year have times that the clocks of `timezone` never showed.", "Look whether `timezone` is where they are written; it may be UTC."},
	zoneDiffers:       {"zone_differs", Warning, "The database and this program disagree on what the clocks of `timezone` show.", "Renew the time zone data of both."},
	unorderedAggregate: {"unordered_aggregate", Warning, "An aggregate that joins values says no order, so the same rows may give another text each time.",
		"Write `ORDER BY` inside it."},
	unindexableRows:       {"unindexable_rows", Warning, "Some rows of a sample of 1,000 can't become documents, and would go to quarantine.", "Mend the rows or cast the column in the SQL, or give the field another type."},
	childWithoutUpdated:   {"child_without_updated", Warning, "A child or an extra has no updateTime, so only the sweep finds its changes.", "Name the column that says when its rows last changed in `updated`."},
	horizonNotExact:       {"horizon_not_exact", Warning, "`horizon: exact` is asked for, and the database does not prove a horizon now.", "Do what it prints, or set `horizon: auto`."},
	unboundedTransactions: {"unbounded_transactions", Warning, "What is settled is assumed from the longest transaction that the tiers allow for, and the database lets transactions stay open for longer.", "Set `transaction_timeout` (PostgreSQL 17) or `idle_in_transaction_session_timeout` in the database to no more than the last tier's timeout."},
	diskSpace:             {"disk_space", Warning, "The file system of `data` has less than 1 GiB free.", "Make room, or name another directory."},
	dataRights:            {"data_rights", Warning, "Others than the owner may look into `data`, which holds what the database does.", "Run the `chmod` that it prints."},
	aclOpen:               {"acl_open", Warning, "A table has an `acl`, and there are no tokens: every user of the machine is an admin, and finds every document.", "List `http.tokens`, each with its groups."},

	serverFound:  {"server", Info, "What the database is, how it is reached, and as whom.", ""},
	clockRead:    {"clock", Info, "How far the clocks of the database and of this machine differ.", ""},
	statsHidden:  {"stats_hidden", Info, "The role may not see when transactions of others began. The horizon is exact all the same, but may follow later.", "Run the `GRANT` that it prints."},
	tableRead:    {"table", Info, "How many rows the SQL returns, their key, and the precision of updateTime.", ""},
	unitFound:    {"unit", Info, "In which unit an `updated` column of numbers counts, as most of its rows say, or as it is declared.", "To declare it: `updated: {column: ..., unit: ...}`."},
	emptyResult:  {"empty_result", Info, "The SQL returns no row.", ""},
	windowCost:   {"window_cost", Info, "What one window costs, as the database's planner thinks.", ""},
	changesFound: {"changes", Info, "What finds changed and deleted rows, and how soon.", ""},
	childChanges: {"child", Info, "What finds changed and deleted rows of a child, and how soon.", ""},
	joinedTables: {"joined_tables", Info, "A change of a joined table moves no updateTime, so the sweep finds it.", "Where that is too late, name its time in `greatest(...)`, or make it a child."},
	horizonMode:  {"horizon", Info, "How what is settled is known: exact, assumed or compared, and why.", ""},
	notLookedAt:  {"not_looked_at", Info, "A question took too long to be asked of a database at work, and was left.", ""},
}
