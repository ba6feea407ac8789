package sqlserver

import (
	"strings"
	"testing"
)

func TestAddress(t *testing.T) {
	t.Setenv("SQLCMDPASSWORD", "hidden")
	for dsn, want := range map[string]string{
		"sqlserver://reader@db.example:1434?database=shop":                                           "db.example:1434/shop encrypted unverified hidden",
		"sqlserver://reader:own@db.example?database=shop":                                            "db.example:1433/shop encrypted unverified own",
		"sqlserver://reader@db.example/inst?database=shop&encrypt=true":                              `db.example\inst/shop encrypted verified hidden`,
		"sqlserver://reader@db.example?database=shop&encrypt=disable":                                "db.example:1433/shop plain verified hidden",
		"sqlserver://reader@db.example?Database=shop&Encrypt=strict&hostNameInCertificate=x.example": "db.example:1433/shop encrypted verified hidden",
		"sqlserver://reader:%40%2F%23@db.example?database=shop&TrustServerCertificate=true":          "db.example:1433/shop encrypted unverified @/#",
	} {
		c, err := parseDSN(dsn)
		if err != nil {
			t.Errorf("%s: %v", dsn, err)
			continue
		}
		got := []string{address(c), "plain", "verified", c.Password}
		if isEncrypted(c) {
			got[1] = "encrypted"
		}
		if c.TrustServerCertificate {
			got[2] = "unverified"
		}
		if all := strings.Join(got, " "); all != want {
			t.Errorf("%s: got %s, want %s", dsn, all, want)
		}
		if c.User != "reader" || !strings.HasPrefix(c.AppName, "indexerd ") {
			t.Errorf("%s: got user %s of program %s", dsn, c.User, c.AppName)
		}
	}
	for dsn, want := range map[string]string{
		"sqlserver://reader:secret@db.example":                                 "names no database",
		"server=db.example;user id=reader;password=secret":                     "not an address",
		"mssql://reader:secret@db.example?database=shop":                       "not an address",
		"sqlserver://reader:secret%@db.example?database=shop":                  "not an address",
		"sqlserver://reader:se/cret@db.example?database=shop":                  "not an address",
		"sqlserver://reader:secret@db.example?database=shop&log=255":           "parameter that is not known",
		"sqlserver://reader:secret@db.example?database=shop&user+id=x":         "parameter that is not known",
		"sqlserver://reader:secret@db.example?database=shop&encrypt=maybe":     "wrong value",
		"sqlserver://reader:secret@db.example:x?database=shop":                 "not an address",
		"sqlserver://reader:secret@db.example?database=shop&certificate=/none": "wrong value",
	} {
		_, err := parseDSN(dsn)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "cret") {
			t.Errorf("%s: got %v, want %q and no password", dsn, err, want)
		}
	}
}
