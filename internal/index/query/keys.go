package query

import (
	"fmt"
	"strings"

	"indexerd/internal/base/doc"
)

// Keys matches the documents with these keys. No text parses to it.
type Keys struct{ OIDs []doc.OID }

func (Keys) node() {}

// String returns the keys as a list.
func (n Keys) String() string {
	texts := make([]string, len(n.OIDs))
	for i, oid := range n.OIDs {
		texts[i] = oid.String()
	}
	return fmt.Sprintf("key[%s]", strings.Join(texts, " "))
}

// A Place is a place in the order of hits.
type Place struct {
	Values []Key   // of each Sort, by their Text; a Key without a Type is that of hits without a value
	OID    doc.OID // of the hit at this place; "": behind all hits with these values
}
