package configs

import (
	"bytes"
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
// for everyone but tests.
func Load(file string, getenv func(string) (string, bool)) (*Config, error) {
	data, err := readFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, data, getenv)
}

// The paths of secrets, and of what goes with them.
const (
	dsnPaths   = `sources\.[^.]+\.dsn(_file)?`
	tokenPaths = `http\.(tokens\.[^.]+\.token|tls\.cert|tls\.key)(_file)?`
)

// LoadWithoutSecrets is Load for those who ask a daemon and don't reach its
// databases: they need not know the secrets, nor have the right to. The Config
// has none, and no fault of one is reported.
func LoadWithoutSecrets(file string, getenv func(string) (string, bool)) (*Config, error) {
	return loadWithout(dsnPaths+"|"+tokenPaths, file, getenv)
}

// LoadWithoutTokens is LoadWithoutSecrets for those who reach the databases
// themselves.
func LoadWithoutTokens(file string, getenv func(string) (string, bool)) (*Config, error) {
	return loadWithout(tokenPaths, file, getenv)
}

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

// Parse checks the content of a file. Its error is Faults.
func Parse(file string, data []byte, getenv func(string) (string, bool)) (*Config, error) {
	return finish(parse(file, data, getenv))
}

// parse fills a Config, as far as the file's faults let it.
func parse(file string, data []byte, getenv func(string) (string, bool)) (*Config, Faults) {
	c := &Config{File: file, lines: map[string]int{}}
	r := &reader{config: c, getenv: getenv}
	if root := r.document(data); root != nil {
		mapping{fileKeys(c)}.read(r, place{"", root.Line, "write keys such as data, sources and tables"}, root)
		r.check()
	}
	return c, r.faults
}

// finish makes a Config complete that has no faults.
func finish(c *Config, faults Faults) (*Config, error) {
	if len(faults) > 0 {
		sortFaults(faults)
		return nil, faults
	}
	c.setDefaults()
	return c, nil
}

// A reader fills a Config and collects what is wrong.
type reader struct {
	config *Config
	getenv func(string) (string, bool)
	faults Faults
}

// A place is where a value stands, and what is to be written there.
type place struct {
	path string
	line int
	do   string
}

// fault notes what is wrong at a place; what to do is the place's.
func (r *reader) fault(at place, what string) {
	if at.path == "" {
		at.path = "file"
	}
	r.faults = append(r.faults, Fault{r.config.File, at.line, at.path, what, at.do})
}

// document returns the root of the file's only YAML document, or nil.
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
		r.fault(place{"", second.Line, "keep one, and write no --- between keys"}, "a second YAML document")
	case !errors.Is(err, io.EOF):
		r.syntax(data, err)
	}
	return doc.Content[0]
}

// notText finds what the YAML library would refuse without saying where.
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
			return line, "a control character"
		}
		data = data[n:]
	}
	return 0, ""
}

// syntax notes an error of the YAML library, whose text is
// "yaml: line 7: did not find expected key". The only text of the file in it
// is an anchor's name, which may be a misplaced piece of a DSN.
func (r *reader) syntax(data []byte, err error) {
	at := place{"", 1, "indent with spaces, quote what holds ': ' or ' #' or begins with one of @ ` * & ! % { ["}
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
		what = "an alias (*) without its anchor (&)"
	}
	r.fault(at, "not valid YAML ("+what+")")
}

// reason is the system's reason, without the file's name.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
