package search

import (
	"errors"
	"testing"
)

func TestVersions(t *testing.T) {
	s, shelf := newSearcher(t)
	v, err := s.Versions(key(t, 7))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"table":"film","oid":"7","versions":[` +
		`{"updated":"2006-02-15T09:46:27.250000Z","fetched":"2006-02-15T09:46:27.250000Z","fields":{"title":"a drama","plot":"no <drama> & more","year":2006,"language":null}},` +
		`{"updated":null,"fetched":"2006-02-15T09:46:27.250000Z","fields":{"title":"what it said before"}}]}`
	if got := show(t, v); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	_, err = s.Versions(key(t, 9))
	var missing *Error
	if !errors.As(err, &missing) || missing.Code != "not_found" {
		t.Errorf("got %v, want not_found", err)
	}
	shelf.broken = errors.New("wrong checksum")
	if _, err := s.Versions(key(t, 7)); !errors.Is(err, shelf.broken) {
		t.Errorf("got %v, want %v", err, shelf.broken)
	}
}
