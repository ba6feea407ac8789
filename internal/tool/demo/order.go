package demo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// An order is a row of job_order with its containers. An empty updated means now.
type order struct {
	id                  int64
	updated             string
	reference, status   string
	customer, consignee string
	loadPort, port      string
	vessel, ready       string
	cargo, remarks      string
	containers          []container
}

// A container is a row of container.
type container struct {
	updated                   string
	number, kind, seal, goods string
	weight                    int
}

// A generator generates orders.
type generator struct {
	english, chinese         grammar
	ports, vessels, statuses []string
	owners, kinds            []string
}

func newGenerator() *generator {
	return &generator{
		english:  grammarOf(english),
		chinese:  grammarOf(chinese),
		ports:    []string{"Shanghai", "Ningbo", "Shenzhen", "Qingdao", "Xiamen", "Hong Kong", "Singapore", "Busan", "Colombo", "Jebel Ali", "Hamburg", "Rotterdam", "Antwerp", "Felixstowe", "Genoa", "Valencia", "New York", "Savannah", "Santos", "Melbourne"},
		vessels:  []string{"Amber Tide", "Blue Heron", "Cedar Star", "Dawn Trader", "Eastern Lily", "Fair Wind", "Golden Crane", "Harbour Light", "Iron Willow", "Jade Horizon", "Kestrel Bay", "Long March"},
		statuses: []string{"booked", "gated-in", "loaded", "sailed", "discharged", "customs-hold", "released", "delivered"},
		owners:   []string{"FRTU", "HXLU", "OCNU", "BLTU", "SGMU", "TGBU", "KDRU", "NVQU"},
		kinds:    []string{"20GP", "40GP", "40HC", "20RF", "40RF", "45HC"},
	}
}

// epoch is the earliest time of an order. It is constant, so that a seed always
// results in the same database.
func epoch() time.Time { return time.Date(2025, 1, 6, 8, 0, 0, 0, time.UTC) }

// year is the range of the orders' times in seconds.
const year = 365 * 24 * 3600

const timeLayout = "2006-01-02 15:04:05.000"

// order generates an order. A third of the orders is in English, a third in
// Chinese, and a third in both.
func (g *generator) order(r *rand.Rand, id int64) order {
	at := epoch().Add(time.Duration(r.IntN(year))*time.Second + time.Duration(r.IntN(1000))*time.Millisecond)
	o := order{
		id:        id,
		updated:   at.Format(timeLayout),
		reference: fmt.Sprintf("JO-%d-%06d", at.Year(), id),
		status:    pick(r, g.statuses),
		loadPort:  pick(r, g.ports),
		port:      pick(r, g.ports),
		vessel:    fmt.Sprintf("%s %03d%c", pick(r, g.vessels), 1+r.IntN(120), "EWNS"[r.IntN(4)]),
		ready:     at.AddDate(0, 0, 3+r.IntN(40)).Format(time.DateOnly),
	}
	first, second := g.languages(r)
	o.customer, o.consignee = first.expand(r, "customer"), second.expand(r, "customer")
	o.cargo, o.remarks = first.expand(r, "cargo"), g.remarks(r, first, second)
	for range 2 + r.IntN(3) {
		before := at.Add(-time.Duration(r.IntN(72)) * time.Hour)
		o.containers = append(o.containers, g.container(r, pick(r, []grammar{first, second}), before.Format(timeLayout)))
	}
	return o
}

func (g *generator) languages(r *rand.Rand) (first, second grammar) {
	switch r.IntN(6) {
	case 0, 1:
		return g.english, g.english
	case 2, 3:
		return g.chinese, g.chinese
	case 4:
		return g.english, g.chinese
	}
	return g.chinese, g.english
}

// remarks generates remarks in the first language, and in half of the orders
// also in the second.
func (g *generator) remarks(r *rand.Rand, first, second grammar) string {
	text := first.expand(r, "remarks")
	if r.IntN(2) == 0 {
		text += " " + second.expand(r, "two")
	}
	return text
}

func (g *generator) container(r *rand.Rand, language grammar, updated string) container {
	return container{
		updated: updated,
		number:  containerNumber(pick(r, g.owners), r.IntN(1e6)),
		kind:    pick(r, g.kinds),
		seal:    fmt.Sprintf("%c%c%06d", 'A'+rune(r.IntN(26)), 'A'+rune(r.IntN(26)), r.IntN(1e6)),
		goods:   language.expand(r, "goods"),
		weight:  2000 + 10*r.IntN(2550),
	}
}

// containerNumber returns a container number with the check digit of ISO 6346.
// Digits have their value, and letters have values from 10 without multiples of
// 11. Each is multiplied by a power of two. The check digit is the sum modulo 11,
// where 10 becomes 0.
func containerNumber(owner string, serial int) string {
	number := fmt.Sprintf("%s%06d", owner, serial)
	sum := 0
	for i, c := range number {
		value := int(c - '0')
		if c >= 'A' {
			value = int(c-'A') + 10
			value += (value - 1) / 10 // A 10, B 12 ... K 21, L 23 ... U 32, V 34
		}
		sum += value << i
	}
	return fmt.Sprintf("%s%d", number, sum%11%10)
}

// inserts are the prepared statements that write an order.
type inserts struct {
	order, container *sql.Stmt
}

// now is the database's clock in the format of updated_at.
const now = `strftime('%Y-%m-%d %H:%M:%f', 'now')`

func prepareInserts(ctx context.Context, tx *sql.Tx) (*inserts, error) {
	o, err := tx.PrepareContext(ctx, `INSERT INTO job_order VALUES (?, coalesce(nullif(?, ''), `+now+`), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return nil, err
	}
	c, err := tx.PrepareContext(ctx, `INSERT INTO container VALUES (NULL, ?, coalesce(nullif(?, ''), `+now+`), ?, ?, ?, ?, ?)`)
	if err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return &inserts{o, c}, nil
}

func (i *inserts) insert(ctx context.Context, o order) error {
	_, err := i.order.ExecContext(ctx, o.id, o.updated, o.reference, o.status, o.customer, o.consignee, o.loadPort, o.port, o.vessel, o.ready, o.cargo, o.remarks)
	if err != nil {
		return err
	}
	for _, c := range o.containers {
		if err := i.insertContainer(ctx, o.id, c); err != nil {
			return err
		}
	}
	return nil
}

func (i *inserts) insertContainer(ctx context.Context, orderID int64, c container) error {
	_, err := i.container.ExecContext(ctx, orderID, c.updated, c.number, c.kind, c.seal, c.goods, c.weight)
	return err
}

func (i *inserts) close() error { return errors.Join(i.order.Close(), i.container.Close()) }
