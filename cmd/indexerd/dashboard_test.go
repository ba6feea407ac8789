package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"indexerd/internal/test/pgtest"
)

// The tests of this file use the dashboard as a person does: a real Chromium
// that types and clicks, on the real binary.

var retake = flag.Bool("update", false, "retake the screenshots of docs/images, and write the files in packaging that are generated from the command line")

func TestDashboard(t *testing.T) {
	t.Parallel()
	dsn, file := pagila(t)
	pgtest.Exec(t, dsn, `UPDATE film SET title = '<img src=x onerror="document.title=1"> hostile' WHERE film_id = 9`)
	p := follow(t, file)
	b := browse(t, p.base)
	b.sees("#ready", "ready")

	t.Run("search marks what was found", func(t *testing.T) {
		b := tab{t, b.ctx}
		b.search("drama shark")
		b.sees("#found", fmt.Sprintf("%d found", count(t, dsn, []string{"drama", "shark"})))
		b.sees("#hits mark", "Drama", "Shark")
	})
	t.Run("a word that is not typed to its end", func(t *testing.T) {
		b := tab{t, b.ctx}
		b.search("drama astrona")
		b.sees("#hits mark", "Drama", "Astronaut")
		b.search("description:astrona")
		b.sees("#hits mark", "Astronaut")
	})
	t.Run("Enter ends the word", func(t *testing.T) {
		b := tab{t, b.ctx}
		b.search("dog")
		b.sees("#found", fmt.Sprintf("%d found", count(t, dsn, []string{"dog\\w*"})))
		b.press("\r")
		b.sees("#found", fmt.Sprintf("%d found", count(t, dsn, []string{"dog"})))
	})
	t.Run("the same answer again folds no hit", func(t *testing.T) {
		b := tab{t, b.ctx}
		b.finds("drama", "Drama")
		enter := "document.querySelector('#found').textContent = ''; document.querySelector('#q').form.requestSubmit()"
		eval[any](b, enter)
		b.sees("#found", "found")
		b.click("#hits .key")
		b.sees("#hits li.open", "explain")
		eval[any](b, enter)
		b.sees("#found", "found")
		b.sees("#hits li.open", "explain")
	})
	t.Run("what is no query is text, with a note", func(t *testing.T) {
		b := tab{t, b.ctx}
		b.search("rting:PG")
		b.sees("#found", "0 found")
		b.sees("#notes", "read as text: rting: did you mean rating?")
		b.sees("#state", "Nothing found")
		for _, text := range []string{`drama "mad sci`, `(drama mad scient`, "mad drama OR"} {
			b.finds(text, "Drama", "Mad")
		}
	})
	t.Run("a slip of the fingers", func(t *testing.T) {
		b := tab{t, b.ctx}
		b.search("drama astronuat")
		b.sees("#notes", "similar ones are found")
		b.sees("#hits mark", "Drama", "Astronaut")
		b.finds("atsronaut drama", "Drama", "Astronaut")
		eval[any](b, "document.querySelector('#notes').textContent = ''")
		b.press("\r")
		b.sees("#notes", "similar ones are found")
	})
	t.Run("arrows and Enter", func(t *testing.T) { arrows(tab{t, b.ctx}) })
	t.Run("facets filter", func(t *testing.T) { filter(tab{t, b.ctx}) })
	t.Run("more goes on where the list ends", func(t *testing.T) {
		b := tab{t, b.ctx}
		b.finds("drama", "Drama")
		b.click("#more")
		eventually(t, soon, "twenty different hits", func() error {
			if got := eval[int](b, "new Set([...document.querySelectorAll('#hits .key')].map(e => e.innerText)).size"); got != 20 {
				return fmt.Errorf("%d hits", got)
			}
			return nil
		})
	})
	t.Run("content of a row is text", func(t *testing.T) {
		b := tab{t, b.ctx}
		b.search("hostile")
		b.sees("#hits li", "<img src=x onerror=")
		b.sees("#hits mark", "hostile")
		if n, title := eval[int](b, "document.images.length"), eval[string](b, "document.title"); n != 0 || title != "hostile – indexerd" {
			t.Errorf("got %d images and the title %q, want none and that of the query", n, title)
		}
	})
	t.Run("run a pass", func(t *testing.T) {
		b := tab{t, b.ctx}
		b.views("operations")
		b.sees("#sentence", "Everything is in order")
		b.sees("#figures", "1 of 1 tables follow their database", "runs alone")
		b.click("[data-run=deletecheck]")
		b.sees("output", "deletecheck: done: 1,000 compared")
		b.click("[data-run=verify]")
		b.sees("output", "verify: equal: 1,000 compared")
	})
	t.Run("dark", func(t *testing.T) { dark(tab{t, b.ctx}) })
	t.Run("a phone", func(t *testing.T) { narrow(tab{t, b.ctx}) })
	t.Run("the database is gone", func(t *testing.T) { gone(tab{t, b.ctx}, dsn) })
	t.Run("indexerd is gone", func(t *testing.T) {
		p.kill()
		b := tab{t, b.ctx}
		b.sees("#alarm", "indexerd does not answer")
		b.views("search")
		b.search("shark")
		b.sees("#state", "indexerd does not answer", "Try again")
	})
}

// arrows goes down to the second hit and up again, and opens the first.
func arrows(b tab) {
	b.finds("drama", "Drama")
	at := func() int {
		return eval[int](b, "[...document.querySelectorAll('#hits .key')].indexOf(document.activeElement)")
	}
	for i, key := range []string{kb.ArrowDown, kb.ArrowDown, kb.ArrowUp} {
		b.press(key)
		if got, want := at(), []int{0, 1, 0}[i]; got != want {
			b.Errorf("after %d arrows: got hit %d, want %d", i+1, got, want)
		}
	}
	b.press(kb.Enter)
	b.sees("#hits li.open", "explain", "actors", "drama in description")
	b.press(kb.ArrowUp)
	if got := eval[string](b, "document.activeElement.id"); got != "q" {
		b.Errorf("above the first hit: got %q, want the box", got)
	}
}

// filter chooses a value, and finds as many documents as its facet counted.
func filter(b tab) {
	b.finds("drama", "Drama")
	b.sees("#facets", "rating", "PG-13", "categories")
	all, _, _ := strings.Cut(eval[string](b, "document.querySelector('#found').innerText"), ",")
	const box = `[data-key="rating:PG-13"]`
	counted := eval[string](b, fmt.Sprintf("document.querySelector('%s').parentElement.querySelector('.count').innerText", box))
	b.click(box)
	b.sees("#found", counted+" found")
	b.sees("#chips", "rating", "PG-13")
	b.sees("#facets label:has(:checked)", "PG-13")
	b.sees("#facets label:not(:has(:checked))", "NC-17") // the others stay, and can be added
	b.click("#chips button")
	b.sees("#found", all)
}

func dark(b tab) {
	lightness := func() int {
		return eval[int](b, `Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)[0])`)
	}
	b.scheme("dark")
	if got := lightness(); got > 60 {
		b.Errorf("dark: the background's red is %d, want at most 60", got)
	}
	b.scheme("light")
	if got := lightness(); got < 200 {
		b.Errorf("light: the background's red is %d, want at least 200", got)
	}
}

// narrow opens all there is to open on a screen of 360 pixels.
func narrow(b tab) {
	b.do(chromedp.EmulateViewport(360, 740))
	defer b.do(chromedp.EmulateViewport(1360, 1000))
	fits := func(what string) {
		b.Helper()
		if got := eval[int](b, "document.documentElement.scrollWidth"); got > 360 {
			b.Errorf("%s: the page is %d pixels wide, want at most 360", what, got)
		}
	}
	b.views("search")
	b.finds("drama", "Drama")
	if eval[bool](b, "document.querySelector('#filters').open") {
		b.Errorf("the filters are unfolded, want them folded on a phone")
	}
	eval[any](b, "document.querySelector('#filters').open = true; document.querySelectorAll('#hits .key').forEach(k => k.click())")
	fits("search")
	b.views("operations")
	eval[any](b, "document.querySelectorAll('#operations details').forEach(d => { d.open = true })")
	b.sees("[data-f=history]", "deletecheck")
	fits("operations")
}

// gone takes the database away: that shows, and what is indexed is still found.
func gone(b tab, dsn string) {
	name := pgtest.Value[string](b, dsn, "SELECT current_database()")
	admin := os.Getenv("INDEXERD_TEST_PG")
	pgtest.Exec(b, admin, fmt.Sprintf("ALTER DATABASE %q ALLOW_CONNECTIONS false", name))
	pgtest.Exec(b, admin, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
	b.views("operations")
	b.sees("#sentence", "things need attention")
	b.sees("#problems", "pagila does not answer", "can still be searched")
	b.sees("[data-f=state]", "failing")
	b.sees("[data-f=error]", "Last error")
	b.views("search")
	b.search("shark drama")
	b.sees("#hits mark", "Drama", "Shark")
	b.views("operations")
	before := eval[string](b, "document.querySelector('[data-f=lag]').innerText")
	eventually(b, soon, "the lag grows", func() error {
		if got := eval[string](b, "document.querySelector('[data-f=lag]').innerText"); got == before {
			return fmt.Errorf("it is %s", got)
		}
		return nil
	})
}
