package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// roff is text as a line of a manual page: a hyphen stays one that can be
// copied, and no line begins with a dot.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "^", `\(ha`, "~", `\(ti`, "`", `\(ga`).Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

// writeManual writes the manual page indexerd(1).
func writeManual(w io.Writer, app *kong.Node) {
	fmt.Fprint(w, `.\" Made of the command line: go generate ./cmd/indexerd
.TH INDEXERD 1
.SH NAME
indexerd \- keep a full\-text index equal to tables of a database
.SH SYNOPSIS
.B indexerd
.I COMMAND
.RI [ flag " ...] [" argument " ...]"
.SH DESCRIPTION
indexerd reads tables of a database with plain SELECTs, follows them second by second and answers searches.
A YAML file says what is indexed:
.B indexerd init
prints one for a database,
.B indexerd check
says what is wrong with one, and
.B indexerd run
runs the daemon.
The other commands ask the daemon that runs, or, where none does, look at what it has stored.
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
It is done, or the answer is yes.
.TP
.B 1
The answer is no, or it failed; of
.BR check :
there is an error.
.TP
.B 2
Bad usage or a fault of the configuration; of
.BR verify :
it could not tell.
.SH SIGNALS
.TP
.B SIGTERM, SIGINT
.B indexerd run
ends within the batches in hand; no other end loses anything either.
.TP
.B SIGHUP
.B indexerd run
reads its configuration anew. What is wrong with it is in the log, and the daemon goes on as it was.
.SH ENVIRONMENT
.TP
.B INDEXERD_TOKEN
The token that commands show the daemon.
.TP
.B NOTIFY_SOCKET, WATCHDOG_USEC, CREDENTIALS_DIRECTORY
As
.BR systemd (1)
sets them.
.PP
A configuration may name others as ${NAME}.
.SH FILES
.TP
.I /etc/indexerd/indexerd.yaml
The configuration of the service.
.TP
.I /var/lib/indexerd/data
What it stores.
.TP
.I /usr/share/doc/indexerd/
operations.md goes through the service step by step, configuration.md explains every key.
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
