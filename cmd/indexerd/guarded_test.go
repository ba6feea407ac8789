package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The tokens of these tests have one word in common, which nothing may show.
const (
	tokenWord    = "t0kencanary"
	opsToken     = tokenWord + "-of-operations"
	salesToken   = tokenWord + "-of-sales"
	unknownToken = tokenWord + "-that-is-unknown"
)

// hiddenWord occurs in documents that sales may not see: in every column, in
// their keys and in the names of groups.
const hiddenWord = "xylocanary"

// writeGuarded makes a database of documents that not everyone may see, and a
// configuration with its own http section.
func writeGuarded(t *testing.T, http string) (file, data string) {
	t.Helper()
	dir := t.TempDir()
	statements := []string{
		"CREATE TABLE doc (id TEXT PRIMARY KEY, u INTEGER, title TEXT, body TEXT, tag TEXT)",
		"CREATE TABLE grp (doc TEXT, u INTEGER, name TEXT)",
		"CREATE TABLE note (doc TEXT, u INTEGER, text TEXT)",
		"CREATE TABLE page (id INTEGER PRIMARY KEY, u INTEGER, title TEXT)",
		"INSERT INTO page VALUES (1, 1700000000, 'a public page')",
	}
	add := func(id, text, group string) {
		statements = append(statements,
			fmt.Sprintf("INSERT INTO doc VALUES ('%s', 1700000000, 'title %[2]s', 'body of %[2]s', '%[2]s')", id, text),
			fmt.Sprintf("INSERT INTO note VALUES ('%s', 1700000000, 'note %s')", id, text),
			fmt.Sprintf("INSERT INTO grp SELECT '%s', 1700000000, '%[2]s' WHERE '%[2]s' <> ''", id, group))
	}
	for i := range 20 {
		add(fmt.Sprintf("seen%02d", i), "zebra", "sales")
		add(fmt.Sprintf("%s%02d", hiddenWord, i), hiddenWord, "boss")
		add(fmt.Sprintf("%s-free%02d", hiddenWord, i), hiddenWord, "") // of no group
	}
	add("shared", "zebra", "sales")
	statements = append(statements, "INSERT INTO grp VALUES ('shared', 1700000000, '"+hiddenWord+"')")
	execSQLite(t, filepath.Join(dir, "docs.db"), statements...)
	data = filepath.Join(dir, "data")
	return writeFile(t, fmt.Sprintf(`data: %s
http:
%s
sources:
  db: {driver: sqlite, dsn: %s}
tables:
  doc:
    source: db
    sql: SELECT id, u, title, body, tag FROM doc
    key: id
    updated: u
    content: {fields: [title, body]}
    metadata: {tag: keyword}
    children:
      notes: {sql: "SELECT doc, u, text FROM note", key: doc, updated: u, content: [text]}
    extra:
      acl: {sql: "SELECT doc, u, name FROM grp", key: doc, updated: u, type: keyword}
    acl: acl
  page: {source: db, sql: "SELECT * FROM page", key: id, updated: u, content: {fields: [title]}}
`, data, http, filepath.Join(dir, "docs.db"))), data
}

const guardedTokens = "  tokens:\n    ops: {token: " + opsToken + ", admin: true}\n    sales: {token: \"${SALES_TOKEN}\", groups: [sales, staff]}\n"

// startGuarded runs a daemon whose configuration has guardedTokens.
func startGuarded(t *testing.T, file string) *proc {
	t.Helper()
	return start(withEnv(t, "SALES_TOKEN="+salesToken), "run", "-c", file)
}

// certificate makes a self-signed one for names, and returns its files.
func certificate(t *testing.T, names ...string) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: names}
	public, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key, pool = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), x509.NewCertPool()
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: public})
	pool.AppendCertsFromPEM(text)
	for file, content := range map[string][]byte{cert: text, key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key, pool
}
