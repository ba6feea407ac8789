package search

import (
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"indexerd/internal/index/query"
)

// The index gets the groups of the caller, and no request can change them.
func TestGroupsOfTheCallerLimitTheSearch(t *testing.T) {
	s, table := newFamily(t)
	for _, c := range []struct {
		name   string
		acl    string
		caller Caller
		want   *query.Visible
	}{
		{"no acl", "", Caller{}, nil},
		{"an admin", "acl", Caller{Admin: true}, nil},
		{"groups", "acl", Caller{Groups: []string{"a", "b"}}, &query.Visible{Hidden: "acl", Filters: []query.Filter{{Field: "acl", Values: []string{"a", "b"}}}}},
		{"no groups", "acl", Caller{}, &query.Visible{Hidden: "acl", Filters: []query.Filter{{Field: "acl"}}}},
		{"a filter", "", Caller{Only: []query.Filter{{Field: s.Metadata[0], Values: []string{"5"}}}}, &query.Visible{Filters: []query.Filter{{Field: s.Metadata[0], Values: []string{"5"}}}}},
		{"a filter by what the table has not", "", Caller{Only: []query.Filter{{Field: "tenant", Values: []string{"5"}}}}, &query.Visible{Filters: []query.Filter{{Field: "tenant"}}}},
		{"a filter and groups", "acl", Caller{Groups: []string{"a"}, Only: []query.Filter{{Field: s.Metadata[0], Values: []string{"5"}}}},
			&query.Visible{Hidden: "acl", Filters: []query.Filter{{Field: s.Metadata[0], Values: []string{"5"}}, {Field: "acl", Values: []string{"a"}}}}},
		{"an admin's filter", "", Caller{Admin: true, Only: []query.Filter{{Field: "tenant"}}}, nil},
	} {
		s.ACL = c.acl
		searchOne(t, s, Params{Caller: c.caller})
		if !reflect.DeepEqual(table.asked.Visible, c.want) {
			t.Errorf("%s: got visible %+v, want %+v", c.name, table.asked.Visible, c.want)
		}
	}
	for _, name := range []string{"caller", "Caller", "admin", "groups", "visible", "acl"} {
		if _, err := ParsePOST([]byte(`{"` + name + `":{"admin":true,"Admin":true,"groups":["a"]}}`)); err == nil {
			t.Errorf("POST with %s: got no error", name)
		}
		if _, err := ParseGET(url.Values{name: {"true"}}); err == nil {
			t.Errorf("GET with %s: got no error", name)
		}
	}
}

// A caller who is not an admin does not see the field of the groups.
func TestGroupsAreHidden(t *testing.T) {
	for _, field := range []string{"acl", "actors", "title"} {
		s, _ := newFamily(t)
		s.ACL = field
		admin := searchOne(t, s, Params{Query: "drama", Highlight: true, Caller: Caller{Admin: true}})
		user := searchOne(t, s, Params{Query: "drama", Highlight: true})
		if !has(admin, field) {
			t.Errorf("%s: an admin gets %v, without the field", field, admin.Fields)
		}
		if has(user, field) || len(user.Fields) != len(admin.Fields)-1 {
			t.Errorf("%s: a caller gets %v, want all other fields", field, user.Fields)
		}
		if _, ok := user.Highlights[field]; ok {
			t.Errorf("%s: a caller gets highlights %v", field, user.Highlights)
		}
		_, err := searchAll(s, Params{Fields: []string{field}})
		if err == nil || !strings.HasPrefix(err.Error(), "no field "+field) || strings.Count(err.Error(), field) != 1 {
			t.Errorf("%s in fields: got %v, want no such field", field, err)
		}
	}
}

func has(h Hit, field string) bool {
	return slices.ContainsFunc(h.Fields, func(f Field) bool { return f.Name == field })
}
