package demo

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// mainSQL returns one row for an order and its containers. updated_at of the
// order is never before that of its containers: see the package comment.
const mainSQL = `SELECT o.id, o.updated_at, o.reference, o.status, o.customer, o.consignee,
       o.load_port, o.port, o.vessel, o.ready, o.cargo, o.remarks,
       (SELECT group_concat(c.number || ' ' || c.type || ' ' || c.goods || ' ' || c.seal, '; ' ORDER BY c.id)
        FROM container c WHERE c.order_id = o.id) AS containers,
       (SELECT sum(c.weight) FROM container c WHERE c.order_id = o.id) AS weight
FROM job_order o`

// YAML returns the configuration for the database in dir and a listen address.
func YAML(dir, listen string) string {
	return fmt.Sprintf(`# The demo: job orders of a freight company, each with its containers.
data: %s
http: {listen: %s}
sources:
  freight: {driver: sqlite, dsn: %s}
tables:
  job_order:
    source: freight
    sql: |
      %s
    key: id
    updated: updated_at
    title: "{reference}: {cargo}"
    # cjk splits English into words and Chinese into pairs of characters.
    content:
      fields: [reference, customer, consignee, load_port, port, vessel, cargo, remarks, containers]
      analyzer: cjk
    metadata:
      status: keyword
      load_port: keyword
      port: keyword
      weight: number
      ready: date
`, quote(filepath.Join(dir, "data")), quote(listen), quote(Config{Dir: dir}.File()), strings.ReplaceAll(mainSQL, "\n", "\n      "))
}

// quote returns a text as a YAML scalar without variables.
func quote(s string) string { return strconv.Quote(strings.ReplaceAll(s, "$", "$$")) }

// An Example is a search, and what it finds.
type Example struct {
	Query string
	What  string
}

// Searches returns searches with results in a database of some thousand orders.
func Searches() []Example {
	return []Example{
		{"frozen shrimp customs", "orders about frozen shrimp and customs"},
		{"冷冻虾仁", "the same goods in Chinese"},
		{`"solar panels" status:customs-hold weight:>=30000`, "solar panels held by customs, of 30 tonnes and more"},
	}
}
