package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A searchPeer searches the same rows in a process of Python: SQLite's FTS5, or tantivy.
type searchPeer struct {
	name    string
	queries *json.Encoder
	answers *json.Decoder
}

// A peerRow is a row of a search's peer.
type peerRow struct {
	Text, Kind string
	N          int
	At         int64 // seconds
}

// A peerQuery is a query in the languages of the peers, and how often it is answered: at
// most Rounds times, and once after Seconds. Kind, "" for any, and From to To, 0 for any N,
// are filters.
type peerQuery struct {
	FTS5    string  `json:"fts5"`
	Tantivy string  `json:"tantivy"`
	Kind    string  `json:"kind"`
	From    int     `json:"from"`
	To      int     `json:"to"`
	Newest  bool    `json:"newest"` // by the newest At, not by score
	Rounds  int     `json:"rounds"`
	Seconds float64 `json:"seconds"`
}

// startPeer has a peer index rows. python is the program that has the engine's library.
func startPeer(b *testing.B, name, python string, rows int, row func(i int) peerRow) (*searchPeer, error) {
	b.Helper()
	cmd := exec.Command(python, "testdata/searchpeer.py", name, b.TempDir())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	b.Cleanup(func() {
		in.Close() // it ends at the end of its input
		if err := cmd.Wait(); err != nil {
			b.Errorf("%s by %s: %v", name, python, err)
		}
	})
	p := &searchPeer{name, json.NewEncoder(in), json.NewDecoder(out)}
	if err := writePeerRows(in, rows, row); err != nil {
		b.Fatalf("%s: its rows: %v", name, err)
	}
	return p, nil
}

func writePeerRows(to io.Writer, rows int, row func(i int) peerRow) error {
	buffered := bufio.NewWriter(to)
	fmt.Fprintln(buffered, rows)
	lines := json.NewEncoder(buffered)
	for i := range rows {
		r := row(i)
		if err := lines.Encode([]any{r.Text, r.Kind, r.N, r.At}); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// time has the peer answer a query.
func (p *searchPeer) time(b *testing.B, q peerQuery) (t timed) {
	b.Helper()
	if err := p.queries.Encode(q); err != nil {
		b.Fatalf("%s: %v", p.name, err)
	}
	if err := p.answers.Decode(&t); err != nil {
		b.Fatalf("%s: the answer to %+v: %v", p.name, q, err)
	}
	return t
}

// tantivyPython is a Python that has tantivy's library, which make bench-search installs,
// or why there is none.
func tantivyPython() (python, missing string) {
	python = os.Getenv("TANTIVY")
	if python == "" {
		return "", "TANTIVY is not set: run make bench-search"
	}
	if out, err := exec.Command(python, "-c", "import tantivy").CombinedOutput(); err != nil {
		return "", fmt.Sprintf("%s has no tantivy: %v: %s", python, err, strings.TrimSpace(string(out)))
	}
	return python, ""
}
