package search

import (
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/query"
)

// What a caller may see is asked of the index, and no request can say otherwise.
func TestCallers(t *testing.T) {
	s, shelf := newFamily(t)
	for _, c := range []struct {
		name   string
		acl    string
		caller Caller
		want   *query.Filter
	}{
		{"no acl", "", Caller{}, nil},
		{"an admin", "acl", Caller{Admin: true}, nil},
		{"groups", "acl", Caller{Groups: []string{"a", "b"}}, &query.Filter{Field: "acl", Values: []string{"a", "b"}}},
		{"nobody", "acl", Caller{}, &query.Filter{Field: "acl"}},
	} {
		s.ACL = c.acl
		searchOne(t, s, Params{Caller: c.caller})
		if !reflect.DeepEqual(shelf.asked.Visible, c.want) {
			t.Errorf("%s: the index was asked for %+v, want %+v", c.name, shelf.asked.Visible, c.want)
		}
	}
	for _, name := range []string{"caller", "Caller", "admin", "groups", "visible", "acl"} {
		if _, err := ParsePOST([]byte(`{"` + name + `":{"admin":true,"Admin":true,"groups":["a"]}}`)); err == nil {
			t.Errorf("a body with %s: got no error", name)
		}
		if _, err := ParseGET(url.Values{name: {"true"}}); err == nil {
			t.Errorf("an address with %s: got no error", name)
		}
	}
}

// Whoever does not see all documents does not see whose they are.
func TestGroupsAreNotShown(t *testing.T) {
	for _, field := range []string{"acl", "actors", "title"} {
		s, _ := newFamily(t)
		s.ACL = field
		admin := searchOne(t, s, Params{Query: "drama", Highlight: true, Caller: Caller{Admin: true}})
		user := searchOne(t, s, Params{Query: "drama", Highlight: true})
		if !has(admin, field) {
			t.Errorf("%s: an admin gets %v, without it", field, admin.Fields)
		}
		if has(user, field) || len(user.Fields) != len(admin.Fields)-1 {
			t.Errorf("%s: a caller gets %v, want all but it", field, user.Fields)
		}
		if _, ok := user.Highlights[field]; ok {
			t.Errorf("%s: a caller gets highlights %v", field, user.Highlights)
		}
		_, err := answered(s, Params{Fields: []string{field}})
		if err == nil || !strings.HasPrefix(err.Error(), "no field "+field) || strings.Count(err.Error(), field) != 1 {
			t.Errorf("%s: asked for: got %v, want no such field", field, err)
		}
	}
}

func has(h Hit, field string) bool {
	return slices.ContainsFunc(h.Fields, func(f Field) bool { return f.Name == field })
}
