package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// roff escapes a line of a manual page, so that its hyphens can be copied and a
// dot at its start is not a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "^", `\(ha`, "~", `\(ti`, "`", `\(ga`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

// writeManual writes the manual page indexerd(1).
func writeManual(w io.Writer, app *kong.Node) {
	fmt.Fprint(w, `.\" Generated from the command line: go generate ./cmd/indexerd
.TH INDEXERD 1
.SH NAME
indexerd \- keep a full\-text index equal to tables of a database
.SH SYNOPSIS
.B indexerd
.I COMMAND
.RI [ flag " ...] [" argument " ...]"
.SH DESCRIPTION
indexerd reads tables of a database with plain SELECTs, keeps a full\-text index equal to them and serves searches.
A YAML file configures it:
.B indexerd init
prints a configuration for a database,
.B indexerd check
checks one, and
.B indexerd run
runs the daemon.
The other commands send requests to the running daemon. If none is running they read the stored data.
.PP
.B indexerd
.I COMMAND
.B \-\-help
shows the flags of a command.
.SH COMMANDS
`)
	for _, c := range visible(app) {
		writeCommand(w, c)
	}
	fmt.Fprint(w, `.SH EXIT STATUS
.TP
.B 0
Success, or the answer is yes.
.TP
.B 1
Failure, or the answer is no. With
.BR check :
the configuration has errors.
.TP
.B 2
A usage or configuration error. With
.BR verify :
it is unknown whether index and database are equal.
.SH SIGNALS
.TP
.B SIGTERM, SIGINT
.B indexerd run
stops after the current batches. Nothing is lost if the process is killed instead.
.TP
.B SIGHUP
.B indexerd run
reads its configuration again. If the new configuration has errors, it logs them and keeps the old one.
.SH ENVIRONMENT
.TP
.B INDEXERD_TOKEN
The token that commands send to the daemon.
.TP
.B NOTIFY_SOCKET, WATCHDOG_USEC, CREDENTIALS_DIRECTORY
Set by
.BR systemd (1).
.PP
A configuration may use other variables as ${NAME}.
.SH FILES
.TP
.I /etc/indexerd/indexerd.yaml
The configuration of the service.
.TP
.I /var/lib/indexerd/data
The data of the service.
.TP
.I /usr/share/doc/indexerd/
install.md and operations.md describe the service, configuration.md every key.
`)
}

func writeCommand(w io.Writer, c *kong.Node) {
	fmt.Fprintf(w, ".SS %s\n.B indexerd %s\n", c.Name, c.Name)
	for _, p := range c.Positional {
		name := strings.ToUpper(p.Name)
		if p.IsCumulative() {
			name += " ..."
		}
		if !p.Required {
			name = "[" + name + "]"
		}
		fmt.Fprintf(w, ".I %s\n", name)
	}
	fmt.Fprintf(w, ".PP\n%s\n", roff(c.Help))
	literal := false
	for line := range strings.Lines(c.Detail) {
		line = strings.TrimSuffix(line, "\n")
		example := strings.HasPrefix(line, "  ")
		if example != literal {
			fmt.Fprint(w, map[bool]string{true: ".PP\n.nf\n", false: ".fi\n"}[example])
			literal = example
		}
		if line == "" {
			fmt.Fprint(w, ".PP\n")
			continue
		}
		fmt.Fprintln(w, roff(line))
	}
	if literal {
		fmt.Fprint(w, ".fi\n")
	}
	for _, f := range flags(c) {
		fmt.Fprint(w, ".TP\n")
		var all []string
		for _, s := range spellings(f) {
			all = append(all, `\fB`+roff(s)+`\fR`)
		}
		fmt.Fprint(w, strings.Join(all, ", "))
		if !f.IsBool() {
			fmt.Fprintf(w, " \\fI%s\\fR", roff(f.FormatPlaceHolder()))
		}
		fmt.Fprintf(w, "\n%s\n", roff(f.Help))
	}
}
