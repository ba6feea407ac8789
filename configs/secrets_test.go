package configs

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// secret is a valid token with the canary in it.
const secret = canary + "-0123456789"

// writeFile writes a file and sets its mode, whatever the umask is.
func writeFile(t *testing.T, file, content string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
}

func TestSecretFilesMustBePrivateAndOfOneLine(t *testing.T) {
	dir := t.TempDir()
	credentials := filepath.Join(dir, "credentials")
	if err := os.Mkdir(credentials, 0o700); err != nil {
		t.Fatal(err)
	}
	const address = "host=db password=" + canary + "${DSN}"
	for _, test := range []struct {
		name, content string
		mode          os.FileMode
		want          string // of the fault
	}{
		{"own", address + "\n", 0o600, ""},
		{"readonly", address, 0o400, ""},
		{"credentials/pagila", address, 0o440, ""},
		{"group", address, 0o640, "file is readable by users other than its owner"},
		{"others", address, 0o604, "file is readable by users other than its owner"},
		{"empty", " \n", 0o600, "file is empty"},
		{"lines", address + "\n" + address, 0o600, "file has more than one line"},
		{"words", canary, 0o600, "not an address of a PostgreSQL database"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(dir, test.name)
			writeFile(t, file, test.content, test.mode)
			getenv := func(name string) (string, bool) { return credentials, name == "CREDENTIALS_DIRECTORY" }
			c, err := Parse("x.yaml", []byte(strings.Replace(minimal, `dsn: "${DSN}"`, "dsn_file: "+file, 1)), getenv)
			if test.want == "" {
				if err != nil || c.Sources[0].DSN != address {
					t.Errorf("got %v, want the unchanged content of the file", err)
				}
				return
			}
			var faults Faults
			if !errors.As(err, &faults) || len(faults) != 1 || faults[0].What != test.want || faults[0].Path != "sources.pagila.dsn_file" {
				t.Fatalf("got %v, want one fault of the dsn_file: %s", err, test.want)
			}
			checkFaults(t, err)
			if strings.Contains(err.Error(), dir) {
				t.Errorf("got %v, which shows the file's name", err)
			}
		})
	}
}

func TestNoFormatShowsASecret(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sales")
	writeFile(t, file, secret+"\n", 0o600)
	c := mustParse(t, withHTTP("  tokens:\n    ops: {token: 0123456789abcdef, admin: true}\n    sales: {token_file: "+file+"}\n"))
	ops, sales := c.HTTP.Tokens[0], c.HTTP.Tokens[1]
	if ops.Secret != "0123456789abcdef" || !ops.Admin {
		t.Errorf("ops: got %q admin %t", ops.Secret, ops.Admin)
	}
	if sales.Secret != secret || sales.Admin || len(sales.Groups) != 0 {
		t.Errorf("sales: got %q admin %t groups %v, want the file's line and no rights", sales.Secret, sales.Admin, sales.Groups)
	}
	asJSON, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ got, name string }{
		{fmt.Sprintf("%v", c), "pagila"},
		{fmt.Sprintf("%+v", c), "sales"},
		{fmt.Sprintf("%#v", c.Sources), "pagila"},
		{fmt.Sprintf("%#v", c.HTTP.Tokens), "sales"},
		{fmt.Sprint(c.Sources[0]), "pagila"},
		{string(asJSON), "sales"},
	} {
		if strings.Contains(test.got, canary) || !strings.Contains(test.got, test.name) {
			t.Errorf("got %s, want the name %s and no secret", test.got, test.name)
		}
	}
}

func TestLoadWithoutSecrets(t *testing.T) {
	const (
		sources = "data: /d\nsources:\n  db: {driver: postgres, dsn: \"${NOT_SET}\"}\n  other: {driver: postgres, dsn_file: /no/such/file}\n"
		tables  = "tables:\n  film: {source: db, sql: SELECT 1, key: id, updated: u, content: {fields: [title]}}\n"
		http    = "http:\n  tokens: {ops: {token: \"${NOT_SET}\", admin: true}, sales: {token_file: /no/such/file}}\n" +
			"  tls: {cert_file: \"${NOT_SET}/cert.pem\", key_file: /no/such/key}\n"
	)
	set := func(text string) string { return strings.ReplaceAll(text, "${NOT_SET}", "postgres://u:canary@h/d") }
	for _, test := range []struct {
		name, text                         string
		faults, withoutTokens, withoutBoth int
	}{
		{"no DSN", sources + tables, 2, 2, 0},
		{"no tokens and certificate", http + minimal, 3, 0, 0},
		{"neither", http + sources + tables, 5, 2, 0},
		{"an address that needs both", strings.Replace(http, "http:\n", "http:\n  listen: 0.0.0.0:7700\n", 1) + minimal, 3, 0, 0},
		{"another fault", sources + strings.Replace(tables, "source: db", "source: nope", 1), 3, 3, 1},
		{"secrets that are set", set(http + strings.Replace(sources, "dsn_file: /no/such/file", "dsn: host=h", 1) + tables), 3, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "c.yaml")
			writeFile(t, file, test.text, 0o600)
			for _, load := range []struct {
				name string
				load func(string, func(string) (string, bool)) (*Config, error)
				want int
			}{{"Load", Load, test.faults}, {"LoadWithoutTokens", LoadWithoutTokens, test.withoutTokens}, {"LoadWithoutSecrets", LoadWithoutSecrets, test.withoutBoth}} {
				c, err := load.load(file, environment)
				var faults Faults
				if errors.As(err, &faults); len(faults) != load.want {
					t.Errorf("%s: got %v, want %d faults", load.name, err, load.want)
				}
				if c == nil {
					continue
				}
				if c.Tables[0].Batch != 10000 {
					t.Errorf("%s: got %+v, want the table with its defaults", load.name, c.Tables[0])
				}
				if got := c.Sources[0].DSN; (got == "") != (load.name == "LoadWithoutSecrets") {
					t.Errorf("%s: got a DSN of %d bytes", load.name, len(got))
				}
				for _, token := range c.HTTP.Tokens {
					if token.Secret != "" {
						t.Errorf("%s: got the secret of token %s", load.name, token.Name)
					}
				}
			}
		})
	}
}
