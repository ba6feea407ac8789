// Package clienttest runs clients of OpenSearch, as their projects publish them, against
// the daemon: those of Python, JavaScript, Go and Java, Searchkit, and the server of tools
// for agents. It also runs the recipes of docs/opensearch-api.md, and the page of
// docs/search-page.md in a browser. make clients installs the clients and runs all; make test
// runs those that are installed and start quickly, and skips the others.
package clienttest

import (
	"cmp"
	"os"
	"path/filepath"
)

// Dir returns the directory where install.sh puts the clients.
func Dir() (string, error) {
	if dir := os.Getenv("CLIENTS_DIR"); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	return filepath.Join(cmp.Or(cache, os.TempDir()), "indexerd-clients"), err
}

// A Client is the client of one language. Its program tests it, and prints a line for
// each test: "ok NAME", or "not ok NAME: why".
type Client struct {
	Language  string // as in the code blocks of the recipes
	Name      string
	Installed string   // a file in Dir that exists if it is installed
	Program   string   // in this directory
	Tests     int      // at least
	Run       []string // the command that runs a program; DIR stands for Dir, and FILE for the program
	File      string   // the name that a recipe needs
	Slow      bool     // only make clients runs it
}

// Clients lists the clients.
func Clients() []Client {
	return []Client{
		{"python", "opensearch-py 3.2.0", "python/installed", "client.py", 25, []string{"DIR/python/bin/python", "FILE"}, "recipe.py", false},
		{"python", "django-opensearch-dsl 0.8.0", "python/installed", "client_django.py", 7, []string{"DIR/python/bin/python", "FILE"}, "recipe.py", false},
		{"javascript", "opensearch-js 3.9.0", "javascript/installed", "client.mjs", 22, []string{"node", "FILE"}, "recipe.mjs", false},
		{"javascript", "searchkit 4.16.0", "page/installed", "client_searchkit.mjs", 16, []string{"node", "FILE"}, "recipe.mjs", false},
		{"python", "opensearch-mcp-server-py 0.12.0", "agent/installed", "client_agent.py", 11, []string{"DIR/agent/bin/python", "FILE"}, "recipe.py", false},
		{"go", "opensearch-go 4.8.1", "go/installed", "go/client.go", 22, []string{"go", "run", "-C", "go", "FILE"}, "recipe.go", false},
		{"java", "opensearch-java 3.3.0", "java/installed", "Client.java", 23, []string{"java", "-cp", "DIR/java/lib/*", "FILE"}, "Recipe.java", true},
	}
}
