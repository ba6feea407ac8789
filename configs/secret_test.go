package configs

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "indexerd/internal/test/nofailfile"
)

// A password may contain special characters, be split by YAML, or stand at a
// wrong place of the file.
func TestNoFaultShowsAPassword(t *testing.T) {
	places := []string{
		"sources:\n  pagila: {driver: postgres, dsn: %s}\n",
		"sources:\n  pagila: {driver: sqlite, dsn: %s}\n",
		"sources:\n  pagila:\n    driver: postgres\n    dsn: %s\n",
		"sources:\n  pagila:\n    driver: postgres\n    dsn: \"%s\"\n",
		"sources:\n  pagila:\n    driver: postgres\n    dsn: '%s'\n",
		"sources:\n  pagila:\n    driver: %s\n",
		"sources:\n  pagila:\n    driver: postgres\n    dsn_file: %s\n",
		"sources:\n  pagila: %s\n",
		"sources:\n  %s\n",
		"sources:\n  %s:\n    driver: postgres\n",
		"sources:\n  pagila:\n    %s: postgres\n",
		"sources:\n  pagila:\n    dsn:\n      - %s\n",
		"data: x\ntables:\n  film:\n    source: %s\n",
		"http: {tokens: {ops: {token: %s}}}\n",
		"http:\n  tokens:\n    ops: {token: '%s', groups: [a]}\n    sales: {token: '%[1]s', groups: [a]}\n",
		"http:\n  tokens:\n    ops:\n      token_file: %s\n",
		"http:\n  tokens:\n    ops: %s\n",
		"http:\n  tokens:\n    %s:\n      admin: true\n",
		"http:\n  tokens:\n    ops:\n      %s: 1\n",
		"http:\n  tls: {cert_file: %s, key_file: %[1]s}\n",
	}
	shapes := []string{"postgres://app:%s@db/app", "host=db password=%s dbname=app", "host=db password='%s'"}
	special := rapid.StringMatching(`[,:@/?#%&*!'"\\ ={$|>.-]{0,4}`)
	rapid.Check(t, func(t *rapid.T) {
		password := special.Draw(t, "before") + canary + special.Draw(t, "after")
		if strings.Contains(password, "${") {
			t.Skip("the name of an environment variable is shown")
		}
		dsn := fmt.Sprintf(rapid.SampledFrom(shapes).Draw(t, "shape"), password)
		data := fmt.Sprintf(rapid.SampledFrom(places).Draw(t, "place"), dsn)
		if _, err := Parse("x.yaml", []byte(data), environment); strings.Contains(err.Error(), canary) {
			t.Errorf("%s\ngot a fault that shows the password: %v", data, err)
		}
	})
}
