package oracle

import (
	"fmt"
	"strings"

	"indexerd/internal/source/dialect"
)

// tokenVersion is part of the epoch. It changes with Token.
const tokenVersion = "oracle 1"

// A column's part of a digest has at most 32 characters, and a text in SQL 4,000.
const partsOfDigest = 120

// Token implements dialect.Dialect: 64 bits of the MD5 of all columns' MD5s, each
// of the value as the server stores it, and of nothing for NULL. It is NULL, which is
// unknown, if a large object is longer than its parts, or for a type without a digest.
func (*DB) Token(of *dialect.Described, exprs []string) string {
	parts, long := make([]string, 0, len(exprs)), []string{}
	for i, expr := range exprs {
		typ := ""
		if i < len(of.Columns) {
			typ = of.Columns[i].Type
		}
		switch typ {
		case "XMLTYPE":
			typ, expr = "CLOB", asText(expr)
		case "JSON", "VECTOR", "LONG", "LONG RAW", "BFILE", "OBJECT":
			return ""
		}
		if units := unitsOf[typ]; units > 0 {
			long = append(long, fmt.Sprintf("DBMS_LOB.GETLENGTH(%s) > %d", expr, units*partsOfLarge))
			parts = append(parts, largeParts(expr, units)...)
			continue
		}
		parts = append(parts, digest(expr))
	}
	for parts = joined(parts); len(parts) > 1; {
		parts = joined(parts)
	}
	bits := "TO_NUMBER(SUBSTR(" + parts[0] + ", 1, 16), 'XXXXXXXXXXXXXXXX') - 9223372036854775808"
	if len(long) == 0 {
		return bits
	}
	return "CASE WHEN " + strings.Join(long, " OR ") + " THEN NULL ELSE " + bits + " END"
}

// joined digests as many digests at a time as one text has room for.
func joined(parts []string) (shorter []string) {
	for len(parts) > 0 {
		n := min(len(parts), partsOfDigest)
		shorter = append(shorter, hashed(strings.Join(parts[:n], " || ")))
		parts = parts[n:]
	}
	return shorter
}

// digest is 32 hexadecimal digits, or N for NULL.
func digest(expr string) string {
	return "CASE WHEN " + expr + " IS NULL THEN 'N' ELSE " + hashed(expr) + " END"
}

func hashed(expr string) string { return "RAWTOHEX(STANDARD_HASH(" + expr + ", 'MD5'))" }

// A large object is digested in so many parts of these units: STANDARD_HASH refuses it
// whole, and ORA_HASH of one is another every few seconds.
const partsOfLarge = 16

var unitsOf = map[string]int{"CLOB": 1000, "BLOB": 2000}

// largeParts digests parts that overlap by one unit: a character may be two of them.
// An empty large object is not NULL, so its length is digested too.
func largeParts(expr string, units int) []string {
	parts := []string{digest("DBMS_LOB.GETLENGTH(" + expr + ")")}
	for i := range partsOfLarge {
		overlap := min(1, 2000-units)
		parts = append(parts, digest(fmt.Sprintf("DBMS_LOB.SUBSTR(%s, %d, %d)", expr, units+overlap, units*i+1)))
	}
	return parts
}
