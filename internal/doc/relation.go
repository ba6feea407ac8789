package doc

// A Relation is a base table that an SQL of the configuration reads.
type Relation struct {
	Name   string // as SQL names it
	Path   string // of the SQL in the configuration of its table: sql, or the child's
	Origin bool   // the SQL's updateTime is a column of this table
}
