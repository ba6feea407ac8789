package httpapi

// SourceLoad is what was asked of a database. It is for metrics alone.
type SourceLoad struct {
	Statements uint64
	BusyS      float64
	Slow       bool
	Quiet      bool
}

var (
	figureStatements = counter("source_statements_total", "statements that were sent to the database", "source")
	figureBusy       = counter("source_statement_seconds_total", "time that the database's answers took", "source")
	figureSlow       = gauge("source_slow", "1 while the database is slow and is spared: see limits.slow", "source")
	figureQuiet      = gauge("source_quiet", "1 in quiet hours, in which loads and sweeps wait: see limits.quiet", "source")
)

func (s SourceStatus) collectLoad(send func(figure, float64, ...string)) {
	send(figureStatements, float64(s.Load.Statements), s.Source)
	send(figureBusy, s.Load.BusyS, s.Source)
	send(figureSlow, truth(s.Load.Slow), s.Source)
	send(figureQuiet, truth(s.Load.Quiet), s.Source)
}
