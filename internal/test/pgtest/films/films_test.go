package films_test

import (
	"testing"

	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/pgtest/films"
)

func TestFilms(t *testing.T) {
	t.Parallel()
	dsn := films.DB(t)
	for _, c := range []struct {
		sql  string
		want int64
	}{
		{"SELECT count(*) FROM film", 1000},
		{"SELECT count(*) FROM film WHERE last_update = '" + films.Updated + "'", 1000},
		{"SELECT count(DISTINCT title) FROM film", 1000},
		{"SELECT count(DISTINCT first_name || ' ' || last_name) FROM actor", 200},
		{"SELECT count(DISTINCT first_name || ' ' || last_name) FROM customer", 500},
		{"SELECT count(*) FROM category", 16},
		{"SELECT count(*) FROM language", 6},
		{"SELECT count(*) FROM film f WHERE NOT EXISTS (SELECT FROM film_actor a WHERE a.film_id = f.film_id)", 0},
		{"SELECT count(*) FROM film f WHERE NOT EXISTS (SELECT FROM film_category c WHERE c.film_id = f.film_id)", 0},
		{"SELECT count(*) FROM film JOIN film_actor USING (film_id) JOIN actor USING (actor_id) WHERE title = 'ACADEMY DINOSAUR' AND first_name = 'PENELOPE' AND last_name = 'GUINESS'", 1},
	} {
		if got := pgtest.Value[int64](t, dsn, c.sql); got != c.want {
			t.Errorf("%s: got %d, want %d", c.sql, got, c.want)
		}
	}
}

// Tests name rows and words, so two databases hold the same ones.
func TestFilmsAreAlwaysTheSame(t *testing.T) {
	t.Parallel()
	const digest = "SELECT md5(string_agg(f::text, ',' ORDER BY film_id)) FROM film f"
	a, b := pgtest.Value[string](t, films.DB(t), digest), pgtest.Value[string](t, films.DB(t), digest)
	if a != b {
		t.Errorf("got films with digests %s and %s, want the same", a, b)
	}
}
