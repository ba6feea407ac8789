package oracle

import (
	"cmp"
	"database/sql/driver"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sijms/go-ora/v2/network"

	"indexerd/internal/test/h2test"
)

func TestMain(m *testing.M) { os.Exit(h2test.Main(m)) }

// h2 is H2's mode Oracle, with functions that it lacks.
var h2 = h2test.Vendor{
	Mode: "Oracle", Settings: ";DEFAULT_NULL_ORDERING=HIGH",
	Aliases: []string{
		`CREATE ALIAS STANDARD_HASH DETERMINISTIC FOR "H2.hash"`, `CREATE ALIAS TO_NUMBER DETERMINISTIC FOR "H2.hexNumber"`, `CREATE ALIAS SYS_EXTRACT_UTC DETERMINISTIC FOR "H2.utc"`,
		`CREATE SCHEMA DBMS_LOB`, `CREATE ALIAS DBMS_LOB.GETLENGTH DETERMINISTIC FOR "H2.length"`, `CREATE ALIAS DBMS_LOB.SUBSTR DETERMINISTIC FOR "H2.part"`,
	},
	Reader:  []string{"SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SNAPSHOT"},
	Rewrite: forH2, Type: typeOfH2, Value: valueOfH2, Fault: faultOfH2,
}

// placeholder is one of Oracle's.
var placeholder = regexp.MustCompile(`:(\d+)`)

// forH2 writes a statement of the dialect for H2: the settings of sessions are H2's own,
// a snapshot begins with the first read, and placeholders are ?1.
func forH2(sql string) string {
	switch {
	case strings.HasPrefix(sql, "ALTER SESSION"):
		return "SET TIME ZONE '+09:00'"
	case sql == "SET TRANSACTION READ ONLY":
		return "SELECT COUNT(*) FROM INFORMATION_SCHEMA.TABLES"
	}
	parts := strings.Split(sql, "'")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = placeholder.ReplaceAllString(parts[i], "?$1")
	}
	return strings.Join(parts, "'")
}

// typeOfH2 returns the driver's names of types.
func typeOfH2(kind string, _, scale int) (string, int) {
	switch kind {
	case "NUMERIC":
		return "NUMBER", scale
	case "DECFLOAT":
		return "NUMBER", noScale
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT":
		return "NUMBER", 0
	case "TIMESTAMP":
		if scale == 0 {
			return "DATE", 0
		}
		return "TimeStampDTY", 0
	}
	return cmp.Or(map[string]string{
		"CHARACTER": "CHAR", "CHARACTER LARGE OBJECT": "OCIClobLocator", "BINARY LARGE OBJECT": "OCIBlobLocator",
		"BINARY": "RAW", "BINARY VARYING": "RAW", "DOUBLE PRECISION": "IBDouble", "REAL": "IBFloat", "TIMESTAMP WITH TIME ZONE": "TimeStampTZ_DTY",
	}[kind], "NCHAR"), 0
}

// serverZone is the offset that the driver gives to times without one.
var serverZone = time.FixedZone("", 2*60*60)

func valueOfH2(kind string, text []byte) (driver.Value, error) {
	s := string(text)
	switch name, _ := typeOfH2(kind, 0, 1); name {
	case "NUMBER":
		if strings.Contains(s, ".") {
			s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
		}
		return s, nil
	case "IBDouble", "IBFloat":
		return strconv.ParseFloat(s, 64)
	case "RAW", "OCIBlobLocator":
		return text, nil
	case "TimeStampDTY":
		t, err := parseISO(s + "Z")
		return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), serverZone), err
	case "TimeStampTZ_DTY":
		return parseISO(s)
	case "NCHAR", "CHAR", "OCIClobLocator":
		if s == "" {
			return nil, nil
		}
	}
	return s, nil
}

func parseISO(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t, err = time.Parse("2006-01-02T15:04Z07:00", s) // Java leaves zeros out
	}
	return t, err
}

// faultOfH2 returns the driver's error for one of H2's.
func faultOfH2(code int, text string) error {
	known := map[int]struct {
		code int
		text string
	}{
		22012: {1476, "divisor is equal to zero"}, h2test.FailsCode: {1476, "divisor is equal to zero"}, 22018: {1722, "invalid number"}, 42102: {942, "table or view does not exist"}, 42104: {942, "table or view does not exist"},
		42122: {904, "invalid identifier"}, 42000: {900, "invalid SQL statement"}, 42001: {900, "invalid SQL statement"}, 90022: {904, "invalid identifier"}, 57014: {1013, "user requested cancel of current operation"},
	}[code]
	text = fmt.Sprintf("%s: H2 %d %s", known.text, code, text)
	return &network.OracleError{ErrCode: cmp.Or(known.code, 600), ErrMsg: fmt.Sprintf("ORA-%05d: %s", cmp.Or(known.code, 600), text)}
}
