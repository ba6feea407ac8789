package demo

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// mainSQL makes one row of an order and its containers. Its updated_at is the
// order's own, which is the greatest: see the package.
const mainSQL = `SELECT o.id, o.updated_at, o.reference, o.status, o.customer, o.consignee,
       o.load_port, o.port, o.vessel, o.ready, o.cargo, o.remarks,
       (SELECT group_concat(c.number || ' ' || c.type || ' ' || c.goods || ' ' || c.seal, '; ' ORDER BY c.id)
        FROM container c WHERE c.order_id = o.id) AS containers,
       (SELECT sum(c.weight) FROM container c WHERE c.order_id = o.id) AS weight
FROM job_order o`

// YAML is the configuration that indexes the database in dir and listens at
// an address.
func YAML(dir, listen string) string {
	return fmt.Sprintf(`# The demonstration: job orders of a freight company, each with its containers.
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
    # cjk finds English by words and Chinese by pairs of characters.
    content:
      fields: [reference, customer, consignee, load_port, port, vessel, cargo, remarks, containers]
      analyzer: cjk
    metadata:
      status: keyword
      load_port: keyword
      port: keyword
      weight: number
      ready: date
`, quote(filepath.Join(dir, "data")), quote(listen), quote(Config{Dir: dir}.file()), strings.ReplaceAll(mainSQL, "\n", "\n      "))
}

// quote writes a text as a YAML scalar in which no variable is expanded.
func quote(s string) string { return strconv.Quote(strings.ReplaceAll(s, "$", "$$")) }

// An Example is a search that finds something, and what that is.
type Example struct {
	Query string
	What  string
}

// Searches are examples that find something in a database of some thousand
// orders.
func Searches() []Example {
	return []Example{
		{"frozen shrimp customs", "orders that speak of frozen shrimp and of customs"},
		{"冷冻虾仁", "the same goods in Chinese"},
		{`"solar panels" status:customs-hold weight:>=30000`, "solar panels held by customs, of 30 tonnes and more"},
	}
}
