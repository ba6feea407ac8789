package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// TestStorm changes all tables of the films at random, also in transactions that
// commit late and in ways that move no updateTime; after a sweep the index is
// equal, to the last byte of every page.
func TestStorm(t *testing.T) {
	t.Parallel()
	dsn, file := stormDB(t)
	p := follow(t, file)
	db := openWriter(t, dsn)
	const writers = 4
	changes := rounds(t, "STORM_CHANGES", 5_000, 2_000) / writers // make storm makes 50,000 in all
	var storm errgroup.Group
	for w := range writers {
		storm.Go(func() error { return rage(db, rand.New(rand.NewPCG(7, uint64(w))), changes) })
	}
	if err := storm.Wait(); err != nil {
		t.Fatal(err)
	}
	settledPast(t, p, dsn)
	sweeps(t, 0, file, "film", "--allow", "1000")
	if got := verifies(t, 0, file, "--content"); got.Compared < 500 {
		t.Errorf("got %+v, want most films still there", got)
	}
}

// rage makes n changes in transactions of 1 to 40, of which some take their
// time and some are rolled back.
func rage(db writeDB, r *rand.Rand, n int) error {
	ctx := context.Background()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for done := 0; done < n; {
		next := func() string { done++; return change(r) }
		end := func() bool {
			if r.IntN(50) == 0 {
				<-time.After(time.Duration(r.IntN(1500)) * time.Millisecond) // a late commit
			}
			return r.IntN(20) > 0
		}
		if _, err := db.transaction(ctx, conn, 1+r.IntN(40), next, end); err != nil {
			return err
		}
	}
	return nil
}

// change is one statement at random.
func change(r *rand.Rand) string {
	film, actor, category, word := 1+r.IntN(1100), 1+r.IntN(200), 1+r.IntN(16), strconv.FormatUint(r.Uint64()%5000, 36)
	switch r.IntN(14) {
	case 0:
		return fmt.Sprintf("UPDATE actor SET last_name = 'L%s' WHERE actor_id = %d", word, actor)
	case 1:
		return fmt.Sprintf("INSERT INTO film_actor (actor_id, film_id) SELECT %d, film_id FROM film WHERE film_id = %d ON CONFLICT DO NOTHING", actor, film)
	case 2:
		return fmt.Sprintf("DELETE FROM film_actor WHERE film_id = %d AND actor_id %% 3 = %d", film, r.IntN(3))
	case 3:
		return fmt.Sprintf("UPDATE category SET name = 'C%s' WHERE category_id = %d", word, category)
	case 4:
		return fmt.Sprintf("INSERT INTO film_category (film_id, category_id) SELECT film_id, %d FROM film WHERE film_id = %d ON CONFLICT DO NOTHING", category, film)
	case 5:
		return fmt.Sprintf("DELETE FROM film_category WHERE film_id = %d", film)
	case 6:
		return fmt.Sprintf("UPDATE language SET name = '%s' WHERE language_id = %d", word, 1+r.IntN(6)) // moves no film's updateTime
	case 7:
		return fmt.Sprintf("INSERT INTO film (film_id, title, language_id) VALUES (%d, 'F%s', %d) ON CONFLICT DO NOTHING", film, word, 1+r.IntN(6))
	case 8:
		return fmt.Sprintf("DELETE FROM film WHERE film_id = %d AND film_id > 1000", film)
	default:
		return fmt.Sprintf("UPDATE film SET description = 'D%s', release_year = %d WHERE film_id = %d", word, 1990+r.IntN(40), film)
	}
}
