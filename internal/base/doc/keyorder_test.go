package doc

import (
	"cmp"
	"testing"
)

// Each list is in the order in which PostgreSQL sorts its texts as a type.
func TestKeysSortAsTheDatabaseSorts(t *testing.T) {
	for kind, texts := range map[Kind][]string{
		Decimal: {"-Infinity", "-100", "-99.9", "-10", "-9.91", "-9.9", "-9", "-1", "-0.11", "-0.1", "-0.09", "0", "0.00001", "0.09", "0.1", "0.11", "1", "1.5", "9", "9.9", "10", "11", "99", "100", "101", "1000", "Infinity", "NaN"},
		Real:    {"-Infinity", "-1e+300", "-2", "-1", "-5e-324", "0", "5e-324", "0.1", "1", "9", "10", "1e+300", "Infinity", "NaN"},
		Boolean: {"false", "true"},
		Bytes:   {"", "00", "0000", "00ff", "01", "fe", "ff", "ff00"},
		Date:    {"-infinity", "4714-11-24 BC", "0044-03-15 BC", "0044-03-16 BC", "0001-12-31 BC", "0001-01-01", "1999-12-31", "2000-01-01", "9999-12-31", "10000-01-01", "infinity"},
		Instant: {"-infinity", "0044-03-15T23:59:59.999999Z BC", "1999-12-31T23:59:59.999999Z", "2000-01-01T00:00:00.000000Z", "294276-12-31T23:59:59.999999Z", "infinity"},
		Wall:    {"-infinity", "0001-12-31T23:59:59.999999 BC", "0001-01-01T00:00:00.000000", "2026-02-15T10:00:00.000000", "infinity"},
	} {
		var last OID
		for _, text := range texts {
			oid, err := ParseOID(text, []Kind{kind})
			if err != nil || oid.String() != text {
				t.Errorf("%v %s: got %v, %v, want the same text", kind, text, oid, err)
			}
			if cmp.Compare(last, oid) >= 0 {
				t.Errorf("%v %s sorts before or with %v, want after it", kind, text, last)
			}
			last = oid
		}
	}
}
