package configs

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Load reads and checks a file. Its error is Faults. getenv is os.LookupEnv
// except in tests.
func Load(file string, getenv func(string) (string, bool)) (*Config, error) {
	data, err := readFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, data, getenv)
}

// Patterns of the paths of files beside the configuration.
const (
	wordPaths  = `tables\.[^.]+\.(stopwords|synonyms)`
	dsnPaths   = `sources\.[^.]+\.dsn(_file)?`
	tokenPaths = `http\.(tokens\.[^.]+\.token|signed_tokens\.[^.]+\.key|tls\.cert|tls\.key)(_file)?`
)

// LoadWithoutSecrets does the same as Load, but the Config has no DSNs, tokens
// and certificate, and their faults are not reported. It is for commands that
// only talk to a daemon: their users need no access to the secrets. It reports no
// faults of files of stop words and synonyms either.
func LoadWithoutSecrets(file string, getenv func(string) (string, bool)) (*Config, error) {
	return loadWithout(dsnPaths+"|"+tokenPaths+"|"+wordPaths, file, getenv)
}

// LoadWithoutTokens does the same as LoadWithoutSecrets, but keeps the DSNs. It
// is for commands that open the databases and serve no HTTP.
func LoadWithoutTokens(file string, getenv func(string) (string, bool)) (*Config, error) {
	return loadWithout(tokenPaths, file, getenv)
}

// loadWithout loads a file without the secrets at the paths.
func loadWithout(paths, file string, getenv func(string) (string, bool)) (*Config, error) {
	data, err := readFile(file)
	if err != nil {
		return nil, err
	}
	c, faults := parse(file, data, getenv)
	without := regexp.MustCompile("^(" + paths + ")$")
	faults = slices.DeleteFunc(faults, func(f Fault) bool { return without.MatchString(f.Path) })
	for i := range c.Sources {
		if without.MatchString("sources." + c.Sources[i].Name + ".dsn") {
			c.Sources[i].DSN = ""
		}
	}
	for i := range c.HTTP.Tokens {
		c.HTTP.Tokens[i].Secret = ""
	}
	for i := range c.HTTP.Signed {
		c.HTTP.Signed[i].Secret, c.HTTP.Signed[i].Public = "", nil
	}
	c.HTTP.TLS.Pair = nil
	return finish(c, faults)
}

func readFile(file string) ([]byte, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, Faults{{file, 1, "file", "can't be read: " + reason(err), "name a configuration file that indexerd can read"}}
	}
	return data, nil
}

// Parse does the same as Load for the content of a file.
func Parse(file string, data []byte, getenv func(string) (string, bool)) (*Config, error) {
	return finish(parse(file, data, getenv))
}

// parse returns the Config and the faults of a file. With faults, the Config is
// incomplete.
func parse(file string, data []byte, getenv func(string) (string, bool)) (*Config, Faults) {
	c := &Config{File: file, lines: map[string]int{}}
	r := &reader{config: c, getenv: getenv}
	if root := r.document(data); root != nil {
		mapping{fileKeys(c)}.read(r, place{"", root.Line, "write keys such as data, sources and tables"}, root)
		r.check()
	}
	return c, r.faults
}

// finish returns the faults, or c with its defaults if there are none.
func finish(c *Config, faults Faults) (*Config, error) {
	if len(faults) > 0 {
		// Faults of one line keep their order.
		slices.SortStableFunc(faults, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
		return nil, faults
	}
	c.setDefaults()
	return c, nil
}

// A reader fills a Config and collects faults.
type reader struct {
	config *Config
	getenv func(string) (string, bool)
	faults Faults
}

// document returns the root of the file's only YAML document. If there is none,
// it records a fault and returns nil.
func (r *reader) document(data []byte) *yaml.Node {
	if line, what := notText(data); what != "" {
		r.fault(place{"", line, "save the file as plain text in UTF-8"}, what)
		return nil
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		r.fault(place{"", 1, "write keys such as data, sources and tables"}, "empty")
		return nil
	case err != nil:
		r.syntax(data, err)
		return nil
	}
	switch err := d.Decode(&second); {
	case err == nil:
		r.fault(place{"", second.Line, "keep one document, and write no --- between keys"}, "more than one YAML document")
	case !errors.Is(err, io.EOF):
		r.syntax(data, err)
	}
	return doc.Content[0]
}

// notText finds bytes that are not UTF-8 text. The YAML library rejects them
// without their line.
func notText(data []byte) (line int, what string) {
	line = 1
	for len(data) > 0 {
		c, n := utf8.DecodeRune(data)
		switch {
		case c == utf8.RuneError && n == 1:
			return line, "not UTF-8"
		case c == '\n':
			line++
		case unicode.IsControl(c) && !strings.ContainsRune("\t\r\u0085", c):
			return line, "contains a control character"
		}
		data = data[n:]
	}
	return 0, ""
}

// syntax records an error of the YAML library, such as
// "yaml: line 7: did not find expected key". The name of an anchor is the only
// text of the file in these errors. It is left out of the fault, since it may be
// a misplaced part of a DSN.
func (r *reader) syntax(data []byte, err error) {
	at := place{"", 1, "indent with spaces, and quote text that contains ': ' or ' #' or begins with one of @ ` * & ! % { ["}
	what := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(what); m != nil {
		at.line, _ = strconv.Atoi(m[1])
		what = what[len(m[0]):]
		if strings.HasPrefix(what, "did not find expected") {
			at.line++ // the library counts lines from 0 in these errors
		}
	}
	if name, ok := strings.CutPrefix(what, "unknown anchor '"); ok {
		name = strings.TrimSuffix(name, "' referenced")
		at.line = 1 + bytes.Count(data[:max(bytes.Index(data, []byte("*"+name)), 0)], []byte("\n"))
		what = "alias (*) without an anchor (&)"
	}
	r.fault(at, "not valid YAML ("+what+")")
}

// reason returns the text of an error without the file's name.
func reason(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}
