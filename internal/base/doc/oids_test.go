package doc_test

import (
	"slices"
	"testing"

	"indexerd/internal/base/doc"
)

func TestListsOfKeys(t *testing.T) {
	list := []doc.Stamp{{OID: "b"}, {OID: "a"}, {OID: "c"}, {OID: "a"}}
	some := []doc.OID{"a", "x"}
	for name, tt := range map[string]struct{ got, want []doc.OID }{
		"OIDs":    {doc.OIDs(list), []doc.OID{"b", "a", "c", "a"}},
		"Among":   {doc.OIDs(doc.Among(list, some)), []doc.OID{"a", "a"}},
		"Without": {doc.OIDs(doc.Without(list, some)), []doc.OID{"b", "c"}},
		"rejects": {doc.OIDs([]doc.Reject{{OID: "r"}, {}}), []doc.OID{"r", ""}},
		"indexed": {doc.OIDs([]doc.Indexed{{OID: "i"}}), []doc.OID{"i"}},
		"nothing": {doc.OIDs(doc.Among([]doc.Stamp(nil), some)), []doc.OID{}},
	} {
		if !slices.Equal(tt.got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, tt.got, tt.want)
		}
	}
}
