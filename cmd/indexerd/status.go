package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"indexerd/internal/doc"
	"indexerd/internal/history"
	"indexerd/internal/httpapi"
	"indexerd/internal/sink"
	"indexerd/internal/terminal"
	"indexerd/timetrace"
)

// Status says how far each table has come.
func (e *engine) Status(context.Context) httpapi.Status {
	s := httpapi.Status{
		Version: version,
		Running: !e.started.IsZero(),
		Started: httpapi.TimeOrNull(e.started),
		Now:     httpapi.Time(time.Now()),
		Ready:   len(e.Waiting()) == 0,
		Sources: []httpapi.SourceStatus{},
		Tables:  []httpapi.TableStatus{},
	}
	if s.Running {
		s.PID = os.Getpid()
	}
	for _, src := range e.sources {
		err := src.lastError()
		s.Sources = append(s.Sources, httpapi.SourceStatus{
			Source: src.conf.Name, Driver: src.conf.Driver, Connected: s.Running && err == nil, Error: text(err), PinnedBy: e.pin(src), Load: src.load(),
		})
	}
	marks := e.trace.Durable() // an S that was shown does not fall with a crash
	for _, t := range e.tables {
		s.Tables = append(s.Tables, t.status(marks[t.conf.Name]))
	}
	return s
}

// pin is the session that holds the horizon of a source back, as the tables of
// the source last saw it.
func (e *engine) pin(s *source) *httpapi.Pin {
	for _, t := range e.tables {
		if t.source != s {
			continue
		}
		if p := t.pin(); p != nil {
			return &httpapi.Pin{PID: p.PID, User: p.User, Application: p.Application, AgeS: p.Age.Seconds()}
		}
	}
	return nil
}

func (t *table) pin() *doc.Pin {
	t.mu.Lock()
	late := t.late
	t.mu.Unlock()
	if late == nil {
		return nil
	}
	late.mu.Lock()
	defer late.mu.Unlock()
	return late.pin
}

// Waiting says what keeps tables from being ready.
func (e *engine) Waiting() []string {
	waiting := []string{}
	for _, t := range e.tables {
		marks, _ := e.trace.Table(t.conf.Name)
		if marks.Loaded {
			continue
		}
		line := t.conf.Name + ": waiting for its database"
		if end, quiet := t.source.conf.Limits.Quiet.Until(time.Now()); quiet {
			line = t.conf.Name + ": waiting for the end of the quiet hours at " + end.Format("15:04")
		}
		if p := t.progress.Snapshot(); p.Running {
			line = fmt.Sprintf("%s: loading %d %%", t.conf.Name, 100*p.Done/max(p.Of, 1))
		}
		waiting = append(waiting, line)
	}
	return waiting
}

func (t *table) status(marks timetrace.Table) httpapi.TableStatus {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := httpapi.TableStatus{
		Table:      t.conf.Name,
		Source:     t.conf.Source,
		State:      "loading",
		Settled:    httpapi.SettledStatus{At: httpapi.TimeOrNull(marks.Settled), Mode: "assumed"},
		Marks:      httpapi.Marks{Incremental: httpapi.TimeOrNull(marks.Incremental), Tiers: map[string]httpapi.Time{}},
		Passes:     []httpapi.PassStatus{},
		Skipped:    t.skipped,
		OutOfRange: marks.OutOfRange,
	}
	if marks.Loaded {
		s.State = "following"
	}
	if marks.Mode != "" {
		s.Settled.Mode = marks.Mode
	}
	if t.late != nil {
		s.Settled.Reason = t.late.why(marks)
	}
	s.Settled.Unverified = marks.Unverified != "" || t.moment.Behind != ""
	if t.moment.Behind != "" && marks.Unverified == "" {
		s.Settled.Reason = t.moment.Behind
	}
	s.Marks.Sweep = httpapi.TimeOrNull(marks.Sweep)
	for name, mark := range marks.Tiers {
		s.Marks.Tiers[name] = httpapi.Time(mark)
	}
	if p := t.progress.Snapshot(); p.Running {
		s.Load = &httpapi.LoadStatus{Done: p.Done, Of: p.Of, RowsPerS: p.Rate, ETAS: p.ETA.Seconds()}
	}
	if t.index != nil {
		s.Quarantined = t.quarantine.Len()
		s.QuarantinedVisible, s.QuarantinedHidden = t.quarantine.Documents()
		s.Held = t.heldStatus(t.guard.Held())
		if n, err := t.index.Count(); err == nil {
			s.Documents = n
		}
		if t.tree != nil {
			s.Tree.Entries, s.Tree.Bytes, s.Tree.SpilledBytes = t.tree.Stats()
		}
		s.LatenessMS = lateness(t.history.Lateness(), assumedTimeout(t.conf))
	}
	if !t.windowAt.IsZero() {
		lag := (time.Since(t.windowAt) + t.moment.Now.Sub(t.moment.Seen)).Seconds()
		s.LagS = &lag
		s.Window = &httpapi.WindowStatus{From: httpapi.Time(t.window.From), To: httpapi.Time(t.window.To)}
	}
	if t.lastError != nil {
		s.LastError = &httpapi.LastError{At: httpapi.Time(t.lastError.at), Pass: t.lastError.pass, What: line(t.lastError.err)}
	}
	if marks.Hidden != "" && t.conf.ACL != "" {
		s.LastError = hiddenStatus(s.LastError, marks.Hidden)
	}
	for _, j := range t.jobs {
		pass := j.status()
		if pass.Error != nil {
			s.State = "failing"
		}
		s.Passes = append(s.Passes, pass)
	}
	if t.reindexing {
		s.State = "reindexing"
	}
	if t.jobs == nil && t.lastError != nil {
		s.State = "failing"
	}
	return s
}

// hiddenStatus is the last error of a table whose documents only admins find,
// which a restart does not end.
func hiddenStatus(last *httpapi.LastError, hidden string) *httpapi.LastError {
	if last == nil {
		return &httpapi.LastError{At: httpapi.Time(time.Now()), Pass: "connect", What: hidden}
	}
	last.What += "; " + hidden
	return last
}

// heldStatus is what the guard holds; nil where it holds nothing.
func (t *table) heldStatus(h sink.Held) *httpapi.Held {
	if h.Removals == 0 {
		return nil
	}
	return &httpapi.Held{
		Removals: h.Removals, Of: h.Of, Since: httpapi.Time(h.Since),
		Do: t.command("sweep", "--allow", strconv.Itoa(h.Removals)),
	}
}

// command is what a person types about the table, in whatever directory.
func (t *table) command(verb string, flags ...string) string {
	file, err := filepath.Abs(t.cfg.File)
	if err != nil { // the working directory is gone
		file = t.cfg.File
	}
	if strings.ContainsAny(file, " '\"$&;|<>()*?\\") {
		file = quote(file)
	}
	words := append([]string{"indexerd", verb, t.conf.Name}, flags...)
	return strings.Join(append(words, "-c", file), " ")
}

func (j passJob) status() httpapi.PassStatus {
	s := j.Status()
	p := httpapi.PassStatus{
		Pass: j.pass, Running: s.Running, Last: httpapi.TimeOrNull(s.Last),
		TookMS: float64(s.Took.Microseconds()) / 1000, Next: httpapi.TimeOrNull(s.Next), Error: text(s.Err),
	}
	if j.tier != "" {
		p.Tier = &j.tier
	}
	return p
}

// lateness is the distribution of how late rows were seen; nil while there is
// none.
func lateness(l doc.Lateness, lastTimeout time.Duration) *httpapi.LatenessStatus {
	if l.Count() == 0 {
		return nil
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return &httpapi.LatenessStatus{
		Count: l.Count(), P50: ms(l.Quantile(0.5)), P99: ms(l.Quantile(0.99)), Max: ms(l.Max),
		Advice: history.Advice(&l, lastTimeout),
	}
}

// text is an error as a member of JSON.
func text(err error) *string {
	if err == nil {
		return nil
	}
	s := line(err)
	return &s
}

type statusCommand struct{ asking }

// Help shows an example.
func (statusCommand) Help() string {
	return "Example:\n  indexerd status -c configs/pagila.yaml"
}

// Run prints the status.
func (c statusCommand) Run(ctx context.Context, w world) error {
	var s httpapi.Status
	return c.ask(ctx, w, "/api/v1/status", &s, func() error {
		printStatus(w.stdout, s)
		return nil
	})
}

func printStatus(w io.Writer, s httpapi.Status) {
	if s.Running {
		fmt.Fprintf(w, "indexerd %s runs as process %d since %s\n", s.Version, s.PID, clock(s.Started))
	} else {
		fmt.Fprintf(w, "indexerd %s does not run: this is how far it had come\n", s.Version)
	}
	for _, src := range s.Sources {
		if src.Error != nil {
			fmt.Fprintf(w, "source %s: %s\n", src.Source, terminal.Line(*src.Error))
		}
	}
	for _, t := range s.Tables {
		printTable(w, t)
	}
}

func printTable(w io.Writer, t httpapi.TableStatus) {
	fmt.Fprintf(w, "%s: %s, %d documents", t.Table, t.State, t.Documents)
	if t.Load != nil {
		fmt.Fprintf(w, ", %d of %d rows, %.0f rows/s, %v to go", t.Load.Done, t.Load.Of, t.Load.RowsPerS, time.Duration(t.Load.ETAS)*time.Second)
	}
	if t.LagS != nil {
		fmt.Fprintf(w, ", %.1f s behind", *t.LagS)
	}
	if t.Settled.At != nil {
		fmt.Fprintf(w, ", settled to %s (%s)", clock(t.Settled.At), t.Settled.Mode)
	}
	if t.Held != nil {
		fmt.Fprintf(w, ", %d removals HELD since %s: if they are to go: %s", t.Held.Removals, clock(&t.Held.Since), t.Held.Do)
	}
	if t.Quarantined > 0 {
		fmt.Fprintf(w, ", %d rows in quarantine", t.Quarantined)
		if t.QuarantinedVisible+t.QuarantinedHidden > 0 {
			fmt.Fprintf(w, " (%d with a visible document, %d with a hidden one)", t.QuarantinedVisible, t.QuarantinedHidden)
		}
	}
	if t.OutOfRange > 0 {
		fmt.Fprintf(w, ", %d rows with updated out of range", t.OutOfRange)
	}
	fmt.Fprintln(w)
	if t.LastError != nil {
		fmt.Fprintf(w, "  last error, %s at %s: %s\n", t.LastError.Pass, clock(&t.LastError.At), terminal.Line(strings.TrimSpace(t.LastError.What)))
	}
}

func clock(t *httpapi.Time) string {
	if t == nil {
		return "never"
	}
	return time.Time(*t).UTC().Format("2006-01-02 15:04:05Z")
}
