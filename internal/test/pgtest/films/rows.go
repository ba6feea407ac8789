package films

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

const (
	filmCount     = 1000
	actorCount    = 200
	customerCount = 500
)

// A table has its rows as lines of COPY's text format.
type table struct {
	name, columns string
	lines         strings.Builder
}

// add adds a row. The caller's values need no escaping.
func (t *table) add(values ...any) {
	for i, v := range values {
		if i > 0 {
			t.lines.WriteByte('\t')
		}
		fmt.Fprint(&t.lines, v)
	}
	t.lines.WriteByte('\n')
}

// rows generates all tables, each after the tables that it references.
func rows() []*table {
	r := rand.New(rand.NewPCG(13, 7))
	return append([]*table{names("language", languages), filmRows(r), actorRows(), names("category", categories)},
		append(links(r), customers(), payments(r))...)
}

// names returns the rows of a table that has names only.
func names(name string, list []string) *table {
	t := &table{name: name, columns: name + "_id, name, last_update"}
	for i, one := range list {
		t.add(i+1, one, Updated)
	}
	return t
}

func filmRows(r *rand.Rand) *table {
	t := &table{name: "film", columns: "film_id, title, description, release_year, language_id, length, rental_rate, rating, last_update, special_features"}
	for i := range filmCount {
		first, second := pair(i, titles, subjects, 617)
		t.add(i+1, first+" "+second, description(r), 1995+r.IntN(20), 1+r.IntN(len(languages)), 45+r.IntN(140), "2.50", pick(r, ratings), Updated, pick(r, features))
	}
	return t
}

func actorRows() *table {
	t := &table{name: "actor", columns: "actor_id, first_name, last_name, last_update"}
	for i := range actorCount {
		first, last := pair(i, firstNames, lastNames, 83)
		t.add(i+1, first, last, Updated)
	}
	return t
}

// links gives each film three to eight actors and one or two categories.
func links(r *rand.Rand) []*table {
	roles := &table{name: "film_actor", columns: "actor_id, film_id, last_update"}
	kinds := &table{name: "film_category", columns: "film_id, category_id, last_update"}
	for film := range filmCount {
		actors := r.Perm(actorCount)[:3+r.IntN(6)]
		if film == 0 {
			actors = []int{0, 1, 2}
		}
		for _, actor := range actors {
			roles.add(actor+1, film+1, Updated)
		}
		for _, kind := range r.Perm(len(categories))[:1+r.IntN(10)/9] {
			kinds.add(film+1, kind+1, Updated)
		}
	}
	return []*table{roles, kinds}
}

func customers() *table {
	t := &table{name: "customer", columns: "customer_id, first_name, last_name, email, activebool, create_date, last_update"}
	for i := range customerCount {
		first, last := pair(i, firstNames, families, 83)
		t.add(i+1, first, last, strings.ToLower(first+"."+last)+"@example.org", i%10 != 0, "2024-02-14", Updated)
	}
	return t
}

func payments(r *rand.Rand) *table {
	t := &table{name: "payment", columns: "payment_id, customer_id, amount, payment_date"}
	for i := range 2 * customerCount {
		t.add(i+1, 1+i%customerCount, "2.50", fmt.Sprintf("2024-%02d-%02d 12:00:00Z", 1+r.IntN(2), 1+r.IntN(28)))
	}
	return t
}

// pair returns the i-th of all pairs of two lists, each pair once. Step has no
// factor in common with the number of pairs, and scatters them.
func pair(i int, first, second []string, step int) (a, b string) {
	n := i * step % (len(first) * len(second))
	return first[n/len(second)], second[n%len(second)]
}

func pick(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }
