package mariatest

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"indexerd/internal/test/process"
)

// A product is a server that the tests run on.
type product struct {
	name    string
	root    string   // of an unpacked one; "": it is installed
	run     []string // the program, with the loader of an unpacked one
	options []string
}

// productOf returns the product that SERVER names: "" is the installed MariaDB; mysql and
// mariadb are what unpack.sh has unpacked.
func productOf(name string) (p product, err error) {
	switch name {
	case "":
		for _, path := range []string{"mariadbd", "/usr/sbin/mariadbd"} {
			if found, err := exec.LookPath(path); err == nil {
				return product{name: "MariaDB", run: []string{found}, options: optionsOfMariaDB}, nil
			}
		}
		return p, fmt.Errorf("MariaDB is %w: apt-get install mariadb-server", process.ErrMissing)
	case "mysql":
		p, err = unpacked(name, "mysqld")
		p.name, p.options = "MySQL", []string{"--mysqlx=OFF", "--innodb-redo-log-capacity=64M", "--secure-file-priv=", "--log-bin-trust-function-creators=ON"}
	case "mariadb":
		p, err = unpacked(name, "mariadbd")
		p.name, p.options = "MariaDB", optionsOfMariaDB
	default:
		err = fmt.Errorf("SERVER: got %q, want mysql, mariadb or nothing", name)
	}
	return p, err
}

var optionsOfMariaDB = []string{"--innodb-log-file-size=32M"}

// IsMySQL reports whether the tests run on MySQL.
func IsMySQL() bool { return os.Getenv("SERVER") == "mysql" }

// unpacked returns a server with its own loader and libraries, which may be newer than
// the system's.
func unpacked(name, daemon string) (p product, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return p, err
	}
	p.root = filepath.Join(cache, "indexerd", name+"-unstable", "root")
	loaders, err := filepath.Glob(filepath.Join(p.root, "usr/lib/*/ld-linux-*.so.*"))
	if err != nil || len(loaders) != 1 {
		return p, fmt.Errorf("%s is %w: internal/test/mariatest/unpack.sh %s", name, process.ErrMissing, name)
	}
	libraries := filepath.Dir(loaders[0])
	p.run = []string{loaders[0], "--library-path", libraries + ":" + filepath.Join(libraries, "systemd") + ":" + filepath.Join(p.root, "usr/lib/mysql/private"), filepath.Join(p.root, "usr/sbin", daemon)}
	return p, nil
}

// share is where an unpacked server has its messages, character sets and SQL.
func (p product) share() string {
	return filepath.Join(p.root, "usr/share", strings.ToLower(p.name))
}

// command returns a command of the server. It runs as the account of the tests: only as
// root does the server ask for its name.
func (p product) command(ctx context.Context, dir string, options ...string) *exec.Cmd {
	args := append(p.run[1:len(p.run):len(p.run)], "--no-defaults", "--user=root", "--datadir="+filepath.Join(dir, "data"))
	if p.root != "" {
		args = append(args, "--basedir="+filepath.Join(p.root, "usr"), "--lc-messages-dir="+p.share(),
			"--character-sets-dir="+filepath.Join(p.share(), "charsets"), "--plugin-dir="+filepath.Join(p.root, "usr/lib/mysql/plugin"))
	}
	cmd := exec.CommandContext(ctx, p.run[0], append(args, options...)...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	return cmd
}

// install makes the server's own tables, and the account root without a password. MySQL
// has to have some options from the beginning, such as lower_case_table_names.
func (p product) install(ctx context.Context, dir string, options []string) error {
	var cmd *exec.Cmd
	switch {
	case p.name == "MySQL":
		setup := filepath.Join(dir, "setup.sql")
		if err := os.WriteFile(setup, []byte("CREATE USER root@'127.0.0.1';\nGRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;\n"), 0o644); err != nil {
			return err
		}
		cmd = p.command(ctx, dir, slices.Concat([]string{"--initialize-insecure", "--init-file=" + setup}, p.options, options)...)
	case p.root == "":
		cmd = exec.CommandContext(ctx, "mariadb-install-db", append([]string{"--no-defaults", "--user=root", "--datadir=" + filepath.Join(dir, "data"), "--auth-root-authentication-method=normal", "--skip-test-db"}, p.options...)...)
	default:
		sql, err := p.systemTables()
		if err != nil {
			return err
		}
		if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
			return err
		}
		cmd = p.command(ctx, dir, append([]string{"--bootstrap", "--enforce-storage-engine="}, p.options...)...)
		cmd.Stdin = sql
	}
	cmd.Env = append(os.Environ(), "TMPDIR="+dir) // a server that starts removes the temporary tables of all that share the directory
	runtime.LockOSThread()                        // the server is killed when the thread that started it ends
	defer runtime.UnlockOSThread()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, out)
	}
	return nil
}

// systemTables returns the SQL that mariadb-install-db runs, which itself finds an
// installed server only.
func (p product) systemTables() (io.Reader, error) {
	sql := "CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket = NULL;\n"
	for _, name := range []string{"mariadb_system_tables", "mariadb_performance_tables", "mariadb_system_tables_data", "fill_help_tables", "maria_add_gis_sp_bootstrap", "mariadb_sys_schema"} {
		text, err := os.ReadFile(filepath.Join(p.share(), name+".sql"))
		if err != nil {
			return nil, err
		}
		sql += string(text) + "\n"
	}
	return strings.NewReader(sql), nil
}
