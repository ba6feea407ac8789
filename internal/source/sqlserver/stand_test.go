package sqlserver

import (
	"cmp"
	"database/sql/driver"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	mssql "github.com/microsoft/go-mssqldb"
	"github.com/microsoft/go-mssqldb/msdsn"

	"indexerd/internal/test/h2test"
)

func TestMain(m *testing.M) { os.Exit(h2test.Main(m)) }

// confOf parses an address that has no faults.
func confOf(dsn string) msdsn.Config {
	c, err := parseDSN(dsn)
	if err != nil {
		panic(err)
	}
	return c
}

// h2 is H2's mode MSSQLServer, with functions that it lacks.
var h2 = h2test.Vendor{
	Mode: "MSSQLServer", Settings: ";DATABASE_TO_UPPER=FALSE;CASE_INSENSITIVE_IDENTIFIERS=TRUE",
	Aliases: []string{`CREATE ALIAS DESCRIBE FOR "H2.describe"`, `CREATE ALIAS TOKEN DETERMINISTIC FOR "H2.token"`, `CREATE ALIAS TIE DETERMINISTIC FOR "H2.tie"`},
	Reader:  []string{"SET TIME ZONE 'UTC'"},
	Rewrite: forH2, Type: func(kind string, _, scale int) (string, int) { return typeOfH2(kind), scale }, Value: valueOfH2, Fault: faultOfH2,
	Argument: func(v any) any {
		switch v := v.(type) {
		case mssql.UniqueIdentifier:
			return v.String()
		case bool: // the stand-in's protocol has none
			return map[bool]int64{true: 1}[v]
		}
		return v
	},
	Isolation: func(driver.TxOptions) []string {
		return []string{"SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SNAPSHOT"}
	},
}

var (
	placeholder = regexp.MustCompile(`@p(\d+)`)
	ownColumn   = regexp.MustCompile(`\w+\.\[(?:[^\]]|\]\])*\]`)
	tie         = regexp.MustCompile(`CAST\(CAST\((?:RTRIM\()?(\w+\.\[(?:[^\]]|\]\])*\])\)? AS nvarchar\(max\)\) AS varbinary\(max\)\) \+ 0x01`)
	failing     = regexp.MustCompile(`1 / v AS (\w+)`)
	among       = regexp.MustCompile(`EXISTS \(SELECT 1 FROM \(VALUES \((.*?)\)\) keys_of_page\(.*?\) WHERE ((?:keys_of_page\.k\d = \w+\.\[[^\]]*\](?: AND )?)+)\)`)
	described   = regexp.MustCompile(`(?s)dm_exec_describe_first_result_set\((N'.*'), NULL, [01]\)`)
)

// forH2 writes a statement of the dialect for H2.
func forH2(sql string) string {
	switch {
	case strings.Contains(sql, "DECLARE @at"):
		return "SELECT FORMATDATETIME(CURRENT_TIMESTAMP, 'yyyy-MM-dd HH:mm:ss.SSSSSS'), '15', 'us_english', (SELECT COUNT(*) FROM INFORMATION_SCHEMA.TABLES)"
	case sql == string(clockSQL):
		return "SELECT FORMATDATETIME(CURRENT_TIMESTAMP, 'yyyy-MM-dd HH:mm:ss.SSSSSS')"
	case sql == stateSQL:
		return "SELECT 1, NULL"
	case strings.Contains(sql, "FROM sys.indexes"):
		return "SELECT 1, 1 WHERE 1 = 0"
	case described.MatchString(sql):
		return "SELECT * FROM DESCRIBE(" + described.FindStringSubmatch(sql)[1] + ")"
	}
	// H2 computes all columns of a user's SQL, and SQL Server those that a statement names.
	if m := failing.FindStringSubmatch(sql); m != nil && !strings.Contains(sql, ".["+m[1]+"]") {
		sql = failing.ReplaceAllString(sql, "CAST(0 AS bigint) AS $1")
	}
	sql = among.ReplaceAllStringFunc(sql, withoutTable)
	parts := strings.Split(withTokens(strings.TrimSuffix(sql, " OPTION (MAXDOP 1)")), "'")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = placeholder.ReplaceAllString(parts[i], "?$1")
		parts[i] = tie.ReplaceAllString(parts[i], "TIE($1)")
		parts[i] = strings.NewReplacer("datetimeoffset(", "timestamp_with_time_zone(", "varbinary(max)", "blob", "nvarchar(max)", "nvarchar(1000000)").Replace(parts[i])
		parts[i] = regexp.MustCompile(`timestamp_with_time_zone\((\d)\)`).ReplaceAllString(parts[i], "timestamp($1) with time zone")
	}
	return strings.Join(parts, "'")
}

// withoutTable writes a list of composite keys as an OR: of a table of values, H2 finds
// out last.
func withoutTable(exists string) string {
	m := among.FindStringSubmatch(exists)
	columns := ownColumn.FindAllString(m[2], -1)
	var keys []string
	for key := range strings.SplitSeq(m[1], "), (") {
		var same []string
		for i, part := range splitList(key) {
			same = append(same, columns[i]+" = "+part)
		}
		keys = append(keys, "("+strings.Join(same, " AND ")+")")
	}
	return "(" + strings.Join(keys, " OR ") + ")"
}

// splitList splits at the commas outside parentheses.
func splitList(list string) (items []string) {
	depth, from := 0, 0
	for i, c := range list {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				items, from = append(items, list[from:i]), i+1
			}
		}
	}
	return append(items, list[from:])
}

// withTokens replaces the dialect's tokens by calls of TOKEN with the same columns: H2
// adds no bytes.
func withTokens(sql string) string {
	const begin, end = "CAST(SUBSTRING(HASHBYTES(", ", 1, 8) AS bigint)"
	for {
		at := strings.Index(sql, begin)
		if at < 0 {
			return sql
		}
		token, rest, _ := strings.Cut(sql[at:], end)
		columns := slices.Compact(ownColumn.FindAllString(token, -1)) // each comes twice
		sql = sql[:at] + "TOKEN(" + strings.Join(columns, ", ") + ")" + rest
	}
}

// typeOfH2 returns the driver's names of types.
func typeOfH2(kind string) string {
	return cmp.Or(map[string]string{
		"INTEGER": "INT", "BOOLEAN": "BIT", "NUMERIC": "DECIMAL", "DOUBLE PRECISION": "FLOAT", "CHARACTER": "NCHAR", "CHARACTER VARYING": "NVARCHAR", "VARCHAR_IGNORECASE": "NVARCHAR",
		"CHARACTER LARGE OBJECT": "NVARCHAR", "BINARY VARYING": "VARBINARY", "BINARY LARGE OBJECT": "VARBINARY", "UUID": "UNIQUEIDENTIFIER", "TIMESTAMP": "DATETIME2", "TIMESTAMP WITH TIME ZONE": "DATETIMEOFFSET",
	}[kind], kind)
}

// valueOfH2 returns a value as the driver does.
func valueOfH2(kind string, text []byte) (driver.Value, error) {
	s := string(text)
	switch typeOfH2(kind) {
	case "TINYINT", "SMALLINT", "INT", "BIGINT":
		return strconv.ParseInt(s, 10, 64)
	case "BIT":
		return s == "TRUE" || s == "true", nil
	case "DECIMAL", "VARBINARY", "BINARY":
		return text, nil
	case "FLOAT":
		return strconv.ParseFloat(s, 64)
	case "REAL":
		v, err := strconv.ParseFloat(s, 32)
		return v, err
	case "DATE":
		return time.Parse(time.DateOnly, s)
	case "DATETIME2":
		return parseISO(s + "Z")
	case "DATETIMEOFFSET":
		return parseISO(s)
	case "UNIQUEIDENTIFIER":
		return mssql.UniqueIdentifier(text).Value()
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
	number := map[int]int32{22012: 8134, 22018: 245, 42102: 208, 42104: 208, 42122: 207, 42000: 102, 42001: 102, 90022: 195, 42121: 8156, 57014: 0, 90085: 8155}[code]
	if number == 8134 {
		text = "Divide by zero error encountered. " + text
	}
	return mssql.Error{Number: cmp.Or(number, 50000), Class: 16, Message: text}
}
