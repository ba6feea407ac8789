// Command indexerd keeps a full-text index equal to tables of a database. It only
// reads the database.
//
// The package parses flags and prints results; internal/serve/daemon does the work.
// run and demo run the daemon in this process. Other commands call the HTTP
// handlers of the running daemon, or the same handlers in process if no daemon is
// running: see client.go. Without a daemon, commands that only read open the data
// directory read-only.
//
// Exit codes: 0 for success or yes, 1 for failure or no, 2 for a usage or
// configuration error. verify also exits with 2 if it can't decide.
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
	"indexerd/internal/base/terminal"
)

const (
	exitNo  = 1
	exitBad = 2
)

// cli is the command line. The shell completions and the manual page in packaging
// are generated from it.
//
//go:generate go test -run ^TestShipped$ -update .
type cli struct {
	Demo       demoCommand       `cmd:"" help:"Create a small database, index it and keep changing it."`
	Init       initCommand       `cmd:"" help:"Inspect a database and print a configuration for it."`
	Check      checkCommand      `cmd:"" help:"Check the configuration and its databases."`
	Run        runCommand        `cmd:"" help:"Run the daemon: index, follow the databases and serve searches."`
	Status     statusCommand     `cmd:"" help:"Show the state of each table."`
	Search     searchCommand     `cmd:"" help:"Search a table."`
	Verify     verifyCommand     `cmd:"" help:"Compare the index with the database, row by row."`
	Explain    explainCommand    `cmd:"" help:"Show what database, index and pages hold for a row, and the next pass that reads it."`
	Sweep      sweepCommand      `cmd:"" help:"Compare a whole table with its index now, and repair differences."`
	Versions   versionsCommand   `cmd:"" help:"Show earlier versions of a row."`
	History    historyCommand    `cmd:"" help:"Show the runs of the passes of a table."`
	Reindex    reindexCommand    `cmd:"" help:"Rebuild a table's index from its stored pages, after a change of the mapping."`
	Reload     reloadCommand     `cmd:"" help:"Delete what is stored of a table and load it again."`
	Move       moveCommand       `cmd:"" help:"Move the stored pages to the store of another configuration."`
	StepDown   stepDownCommand   `cmd:"" help:"Have the standby lead in place of the running daemon."`
	Backup     backupCommand     `cmd:"" help:"Back up the data directory, also while the daemon is running."`
	Restore    restoreCommand    `cmd:"" help:"Restore a backup into an empty data directory."`
	Plan       planCommand       `cmd:"" help:"Compute the cost of compensation tiers."`
	Completion completionCommand `cmd:"" help:"Print a shell completion script."`
	Version    versionCommand    `cmd:"" help:"Print the version."`

	PrintVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

// world is the environment of a command.
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

// run runs the command line and returns its exit code.
func run(ctx context.Context, args []string, w world) int {
	w.stdout = terminal.NewWriter(w.stdout)
	code := -1 // set by kong after --help and --version
	var c cli
	parser, err := kong.New(&c,
		kong.Name("indexerd"),
		kong.Description("Keeps a full-text index equal to the tables of a database."),
		kong.UsageOnError(),
		kong.Writers(w.stdout, w.stderr),
		kong.Exit(func(c int) { code = c }),
		kong.Vars{"version": version()},
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
		fmt.Fprintf(w.stderr, "indexerd: %v: see %s --help\n", err, parsedCommand(err))
		return exitBad
	}
	if err := parsed.Run(); err != nil {
		fmt.Fprintln(terminal.NewWriter(w.stderr), configs.Message(err))
		return exitCode(err)
	}
	return 0
}

// parsedCommand returns the part of the command line that was parsed.
func parsedCommand(err error) string {
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

// configFlag is embedded in commands that need a configuration.
type configFlag struct {
	Config string `short:"c" required:"" placeholder:"FILE" help:"The configuration file, YAML."`
}

// called returns the name of a table in the configuration: Track is track. It leaves a name
// as it is if the configuration can't be read, which the command then reports.
func (f configFlag) called(table string, w world) string {
	cfg, err := configs.LoadWithoutSecrets(f.Config, w.getenv)
	if err != nil {
		return table
	}
	return cfg.Called(table)
}
