// Command indexerd keeps a full-text index equal to tables of a database,
// second by second, by reading the database and nothing else.
//
// The command is thin: it parses flags, loads the configuration, builds the
// passes (engine.go, table.go) and runs them until it is signalled. Commands
// that ask something (status, search) call the HTTP handlers of the running
// daemon, or the same handlers in process when none runs (client.go).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"indexerd/configs"
	"indexerd/internal/daemon"
	"indexerd/internal/terminal"
)

// exit codes, as the contract has them.
const (
	exitNo  = 1 // the answer is no, or it failed
	exitBad = 2 // bad usage or configuration
)

// cli is the command line. Shell completions and manual page in packaging are
// made of it.
//
//go:generate go test -run ^TestShipped$ -update .
type cli struct {
	Demo       demoCommand       `cmd:"" help:"Make a small database and index it: everything at work in one command."`
	Init       initCommand       `cmd:"" help:"Look at a database and print a configuration for it."`
	Check      checkCommand      `cmd:"" help:"Look at the configuration and its databases, and say what is wrong."`
	Run        runCommand        `cmd:"" help:"Index, follow the databases and answer searches, until signalled."`
	Status     statusCommand     `cmd:"" help:"Say how far each table has come."`
	Search     searchCommand     `cmd:"" help:"Search a table."`
	Verify     verifyCommand     `cmd:"" help:"Prove that index and database are equal, or say where they are not."`
	Explain    explainCommand    `cmd:"" help:"Say what everybody knows of one row, and what happens to it next."`
	Sweep      sweepCommand      `cmd:"" help:"Compare a whole table now, and repair what differs."`
	Versions   versionsCommand   `cmd:"" help:"Show what a row said before."`
	History    historyCommand    `cmd:"" help:"Show what each pass of a table did."`
	Reindex    reindexCommand    `cmd:"" help:"Build a table's index anew from what is stored, for a changed mapping."`
	Reload     reloadCommand     `cmd:"" help:"Forget a table and load it anew."`
	Backup     backupCommand     `cmd:"" help:"Copy all that is stored, while it changes."`
	Restore    restoreCommand    `cmd:"" help:"Bring a backup back into an empty data directory."`
	Plan       planCommand       `cmd:"" help:"Say what compensation tiers cost."`
	Completion completionCommand `cmd:"" help:"Print a script by which a shell completes commands and flags."`
	Version    versionCommand    `cmd:"" help:"Print the version."`

	PrintVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

// world is what a command may touch.
type world struct {
	stdout, stderr io.Writer
	getenv         func(string) (string, bool)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	limitMemory(os.LookupEnv, machine())
	os.Exit(run(ctx, os.Args[1:], world{stdout: os.Stdout, stderr: os.Stderr, getenv: os.LookupEnv}))
}

// run is the whole command: it returns the exit code.
func run(ctx context.Context, args []string, w world) int {
	w.stdout = terminal.NewWriter(w.stdout)
	code := -1 // until kong asks to leave, after --help
	var c cli
	parser, err := kong.New(&c,
		kong.Name("indexerd"),
		kong.Description("Keeps a full-text index equal to the tables of a database."),
		kong.UsageOnError(),
		kong.Writers(w.stdout, w.stderr),
		kong.Exit(func(c int) { code = c }),
		kong.Vars{"version": "indexerd " + daemon.Version},
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(w),
	)
	if err != nil {
		fmt.Fprintln(w.stderr, "indexerd:", err)
		return exitBad
	}
	parsed, err := parser.Parse(args)
	if code >= 0 {
		return code
	}
	if err != nil {
		fmt.Fprintf(w.stderr, "indexerd: %v: see %s --help\n", err, meant(err))
		return exitBad
	}
	if err := parsed.Run(); err != nil {
		fmt.Fprintln(terminal.NewWriter(w.stderr), configs.Message(err))
		return exitCode(err)
	}
	return 0
}

// meant is the command line as far as it was understood.
func meant(err error) string {
	var p *kong.ParseError
	if errors.As(err, &p) {
		if command := p.Context.Selected(); command != nil {
			return "indexerd " + command.Name
		}
	}
	return "indexerd"
}

// coded is an error with an exit code other than 1.
type coded struct {
	error
	code int
}

func (c coded) Unwrap() error { return c.error }

func exitCode(err error) int {
	var c coded
	switch {
	case errors.As(err, &c):
		return c.code
	case errors.As(err, new(configs.Faults)), errors.As(err, new(configs.Fault)):
		return exitBad
	}
	return exitNo
}

// configFlag is the flag of every command that needs a configuration.
type configFlag struct {
	Config string `short:"c" required:"" placeholder:"FILE" help:"The configuration, a YAML file."`
}

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(w world) error {
	fmt.Fprintln(w.stdout, "indexerd", daemon.Version)
	return nil
}
