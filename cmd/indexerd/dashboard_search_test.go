package main

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// records is a running daemon with two tables: films with a rating, a price and a date, and
// songs with a price.
func records(t *testing.T) *proc {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "records.db")
	statements := []string{
		"CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT, plot TEXT, rating TEXT, price REAL, seen TEXT, u TEXT DEFAULT CURRENT_TIMESTAMP)",
		"CREATE TABLE song (id INTEGER PRIMARY KEY, title TEXT, price REAL, u TEXT DEFAULT CURRENT_TIMESTAMP)",
		`INSERT INTO film (id, title, plot, rating, price, seen) VALUES (99, 'harmless', '<img src=x onerror="document.title=1"> and <mark>a mark</mark> in hostile text', '<b>bold</b>', 5, '2024-01-01')`,
		`INSERT INTO film (id, title, plot, rating, price, seen) VALUES (98, '<script>document.title=1</script>', 'hostile title', '<b>bold</b>', 5, '2024-01-01')`,
	}
	for i := range 12 {
		statements = append(statements,
			fmt.Sprintf("INSERT INTO film (id, title, plot, rating, price, seen) VALUES (%d, 'Film %[1]d of the shark', 'A drama number %[1]d with a shark and a teacher', '%[2]s', %[3]d, '2024-%02[4]d-15')", i+1, []string{"PG", "PG", "G"}[i%3], 10*i, i+1),
			fmt.Sprintf("INSERT INTO song (id, title, price) VALUES (%d, 'Song %[1]d of a drama', %[2]d)", i+1, i))
	}
	execSQLite(t, path, statements...)
	every := "incremental: {every: 1h}, compensate: {every: 1h}, deletecheck: {every: 1h}}\n"
	return follow(t, writeFile(t, configOf("sqlite", path, filepath.Join(dir, "data"),
		"  film: {source: db, sql: SELECT * FROM film, key: id, updated: u, content: {fields: [title, plot]}, metadata: {rating: keyword, price: number, seen: date}, "+every+
			"  song: {source: db, sql: SELECT * FROM song, key: id, updated: u, content: {fields: [title]}, metadata: {price: number}, "+every)))
}

// address is what the address has behind the host, decoded.
func (b tab) address() string {
	b.Helper()
	text, err := url.QueryUnescape(eval[string](b, "location.search"))
	if err != nil {
		b.Fatal(err)
	}
	return text
}

// at waits until the address is this one.
func (b tab) at(want string) {
	b.Helper()
	eventually(b, soon, "the address is "+want, func() error {
		if got := b.address(); got != want {
			return fmt.Errorf("it is %s", got)
		}
		return nil
	})
}

// choose presses a choice of a facet. It may be replaced at any time, when other documents
// are counted.
func (b tab) choose(key string) {
	b.Helper()
	eventually(b, soon, "the choice "+key, func() error {
		if !eval[bool](b, fmt.Sprintf(`(() => { const e = document.querySelector('[data-key=%q]'); e?.click(); return Boolean(e) })()`, key)) {
			return fmt.Errorf("there is none")
		}
		return nil
	})
}

func TestDashboardSearch(t *testing.T) {
	t.Parallel()
	b := browse(t, records(t).base)
	b.scheme("light")
	for name, test := range map[string]func(tab){
		"the address has what is searched for": theAddress, "ranges of numbers and dates": ranges, "tables to choose from": chooseTable,
		"keyboard": keyboard, "content is text": contentIsText, "examples": examples, "errors": failures,
	} {
		t.Run(name, func(t *testing.T) {
			b := tab{t, b.ctx}
			b.opens("/")
			b.sees("#found", "26 found")
			b.sees("#facets", "all tables", "rating", "price", "seen")
			test(b)
		})
	}
}

// theAddress searches, filters and sorts, and finds each step again by going back, by loading
// the page again, and by its address in another tab.
func theAddress(b tab) {
	b.search("drama")
	b.at("?q=drama")
	b.sees("#found", "24 found")
	b.choose("rating:PG")
	b.at("?q=drama&filter=rating:PG")
	b.sees("#found", "8 found")
	b.choose("rating:G")
	b.sees("#found", "12 found")
	eval[any](b, "(() => { const s = document.querySelector('#sort'); s.value = '-price'; s.dispatchEvent(new Event('change')) })()")
	const whole = "?q=drama&filter=rating:PG&filter=rating:G&sort=-price"
	b.at(whole)
	b.sees("#hits li:first-child", "Film 12")
	b.do(chromedp.Reload())
	for range 2 {
		b.sees("#found", "12 found")
		b.sees("#hits li:first-child", "Film 12")
		b.sees("#chips", "PG", "G")
		b.sees("#facets label:has(:checked)", "PG", "G")
		b.at(whole)
		b = browse(b, eval[string](b, "location.href"))
	}
}

// back goes one entry of the history back.
func (b tab) back() { b.Helper(); eval[any](b, "history.back()") }

func TestDashboardGoesBack(t *testing.T) {
	t.Parallel()
	b := browse(t, records(t).base)
	b.sees("#found", "26 found")
	for _, q := range []string{"d", "dr", "drama"} { // one search, typed with pauses
		b.search(q)
		b.at("?q=" + q)
	}
	b.press(kb.Enter)
	b.sees("#facets", "rating")
	b.choose("rating:PG")
	b.sees("#found", "8 found")
	b.views("operations")
	b.sees("#sentence", "Everything is in order")
	b.at("?view=operations&q=drama&filter=rating:PG")
	b.back()
	b.sees("#found", "8 found")
	b.back()
	b.at("?q=drama")
	b.sees("#found", "24 found")
	b.back()
	b.at("")
	b.sees("#found", "26 found")
	if got := eval[string](b, "document.querySelector('#q').value"); got != "" {
		t.Errorf("the box has %q, want nothing", got)
	}
	eval[any](b, "history.forward()")
	b.sees("#found", "24 found")
	b.sees("#hits mark", "drama")
}

// ranges types the ends of a range, draws one over the histogram, and removes it.
func ranges(b tab) {
	set := func(name, value string) {
		b.Helper()
		eval[any](b, fmt.Sprintf("(() => { const i = document.querySelector('[data-key=%q]'); i.value = %q; i.dispatchEvent(new Event('change')) })()", name, value))
	}
	set("price from", "20")
	b.at("?filter=price:>=20")
	b.sees("#found", "10 found")
	b.sees("#facets [data-field=price]", "to")
	set("price to", "50")
	b.at("?filter=price:[20 TO 50]")
	b.sees("#found", "4 found")
	b.sees("#chips", "price 20 to 50")
	b.click("#chips button")
	b.sees("#found", "26 found")
	set("seen to", "2024-03")
	b.at("?filter=seen:<=2024-03")
	b.sees("#found", "5 found")
	b.click("#chips button")
	b.sees("#found", "26 found")

	counted := eval[string](b, "document.querySelector('[data-field=seen] .bar').title")
	b.click("[data-field=seen] .bar")
	b.sees("#chips", "seen 2024-01 to below 2024-02")
	_, count, _ := strings.Cut(counted, ": ")
	b.sees("#found", count+" found")
	eventually(b, soon, "all 12 months with one chosen", func() error {
		if got := eval[string](b, "[...document.querySelectorAll('[data-field=seen] .bar')].map(e => e.className).join()"); got != "bar"+strings.Repeat(",bar out", 11) {
			return errors.New(got)
		}
		return nil
	})
	eval[any](b, "globalThis.older = document.querySelector('[data-field=seen] .bar')")
	pointer := func(event, bar string) {
		b.Helper()
		eval[any](b, fmt.Sprintf("%s.dispatchEvent(new PointerEvent('pointer%s', { bubbles: true }))", bar, event))
	}
	const first = "document.querySelector('[data-field=seen] .bar')"
	pointer("down", first)
	pointer("up", first)
	b.sees("#found", "26 found")
	pointer("down", "older") // than the search: the press begins a range, not ends one
	pointer("up", "older")
	b.sees("#found", count+" found")
	b.click("#chips button")
	b.sees("#found", "26 found")
	pointer("down", first)
	b.choose("rating:PG") // the picture is drawn again during the press
	b.sees("#facets label:has(:checked)", "PG")
	pointer("up", first)
	b.sees("#chips", "PG", "seen 2024-01 to below 2024-02")
	b.click("#chips .plain")
	b.sees("#found", "26 found")
	set("price from", "cheap")
	b.sees("#state", "This search is not possible", "Field price: cheap is not a number")
	b.click("#state button")
	b.sees("#found", "26 found")
}

// chooseTable searches one table, where a filter by a field of the other is dropped.
func chooseTable(b tab) {
	b.search("drama")
	b.sees("#facets [data-field=table]", "all tables\n24", "film\n12", "song\n12")
	b.choose("rating:PG")
	b.sees("#found", "8 found")
	b.choose("table:song")
	b.at("?q=drama&table=song")
	b.sees("#found", "12 found")
	b.sees("#facets [data-field=table]", "all tables\n24", "film\n12", "song\n12")
	b.sees("#hits .address", "1")
	b.choose("table:")
	b.at("?q=drama")
	b.sees("#found", "24 found")
	b.sees("#hits .address", "film 1")
}

func keyboard(b tab) {
	b.search("shark")
	b.sees("#hits mark", "shark")
	focused := func() string {
		return eval[string](b, "document.activeElement.id || [...document.querySelectorAll('#hits .key')].indexOf(document.activeElement).toString()")
	}
	for i, step := range []struct{ key, want string }{
		{kb.ArrowDown, "0"}, {kb.ArrowDown, "1"}, {kb.Enter, "1"}, {kb.Escape, "1"}, {kb.ArrowUp, "0"}, {kb.ArrowDown, "1"}, {kb.Escape, "q"},
	} {
		b.press(step.key)
		if got := focused(); got != step.want {
			b.Errorf("step %d: the focus is on %s, want %s", i+1, got, step.want)
		}
		if open := eval[int](b, "document.querySelectorAll('#hits .open').length"); (open == 1) != (step.key == kb.Enter) {
			b.Errorf("step %d: %d hits are unfolded", i+1, open)
		}
	}
	b.press(kb.Escape)
	b.at("")
	b.sees("#found", "26 found")
	b.press(kb.Escape)
	if got := focused(); got == "q" {
		b.Errorf("the box keeps the focus, want it to lose it")
	}
	if got := eval[string](b, "[...document.querySelectorAll('input, select, button')].filter(e => e.checkVisibility() && !e.innerText && !e.labels?.length && !e.ariaLabel).map(e => e.outerHTML).join()"); got != "" {
		b.Errorf("without a name: %s", got)
	}
}

func contentIsText(b tab) {
	b.search("hostile")
	b.sees("#hits", `<img src=x onerror="document.title=1">`, "<script>document.title=1</script>")
	b.sees("#facets", "<b>bold</b>")
	b.click("#hits .key")
	b.choose("rating:<b>bold</b>")
	b.sees("#chips", "<b>bold</b>")
	b.sees("#found", "2 found")
	if got := eval[string](b, "[...document.querySelectorAll('main img, main script, main b')].map(e => e.outerHTML).join() + document.title"); got != "hostile – indexerd" {
		b.Errorf("content became elements, or the title: %s", got)
	}
	if got := eval[string](b, "[...document.querySelectorAll('#hits mark')].map(e => e.innerText).join()"); strings.Contains(got, "a mark") {
		b.Errorf("a mark of the text became one of the page: %s", got)
	}
}

// examples are searches that find something, with and without a search that finds nothing.
func examples(b tab) {
	for _, q := range []string{"", "nowhere to be found"} {
		if q != "" {
			b.search(q)
			b.sees("#state", "Nothing found")
		}
		b.sees("#examples button", "teac", "rating:PG", "price:>=60")
	}
	n := eval[int](b, "document.querySelectorAll('#examples button').length")
	for i := range n {
		b.opens("/")
		b.sees("#examples button", "rating:PG")
		q := eval[string](b, fmt.Sprintf("document.querySelectorAll('#examples button')[%d].innerText", i))
		eval[any](b, fmt.Sprintf("document.querySelectorAll('#examples button')[%d].click()", i))
		b.at("?q=" + q)
		b.sees("#hits .key", "o") // of Film and Song
	}
}

func failures(b tab) {
	for path, words := range map[string][]string{
		"/?table=flim":       {"There is no such table", "No table flim", "Search everything"},
		"/?q=a&sort=tonnage": {"This search is not possible", "No field tonnage: there are"},
		"/?filter=genre:x":   {"This search is not possible", "No field genre"},
	} {
		b.opens(path)
		b.sees("#state", words...)
		b.click("#state button.main")
		b.sees("#found", "found")
	}
}

// A page that is not seen asks for nothing.
func TestDashboardRestsWhileHidden(t *testing.T) {
	t.Parallel()
	b := browse(t, records(t).base)
	b.opens("/?view=operations")
	b.sees("#sentence", "Everything is in order")
	asked := func() int {
		return eval[int](b, "performance.getEntriesByType('resource').filter(e => e.name.includes('/api/')).length")
	}
	hide := func(hidden bool) {
		eval[any](b, fmt.Sprintf("Object.defineProperty(document, 'hidden', { configurable: true, value: %t }); document.dispatchEvent(new Event('visibilitychange'))", hidden))
	}
	hide(true)
	<-time.After(time.Second) // what is under way ends
	before := asked()
	<-time.After(5 * time.Second) // two polls, if there were any
	if got := asked(); got != before {
		t.Errorf("got %d requests of a hidden page, want none", got-before)
	}
	hide(false)
	eventually(t, soon, "it asks again", func() error {
		if got := asked(); got == before {
			return fmt.Errorf("%d requests", got)
		}
		return nil
	})
}

// contrast lists the texts whose contrast is below 4.5 to 1, as WCAG's level AA has it.
const contrast = `(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); return canvas.getImageData(0, 0, 1, 1).data; };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (e) => { for (; e; e = e.parentElement) { const c = rgba(getComputedStyle(e).backgroundColor); if (c[3] === 255) return c; } return [255, 255, 255]; };
  const texts = [...document.querySelectorAll('body *')].filter((e) => e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()));
  return texts.map((e) => { const [a, b] = [light(rgba(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x); return [e.innerText.slice(0, 30), (a + 0.05) / (b + 0.05)]; })
    .filter(([, ratio]) => ratio < 4.5).map(([text, ratio]) => text + ' ' + ratio.toFixed(2)).join('; ');
})()`

func TestDashboardContrast(t *testing.T) {
	t.Parallel()
	b := browse(t, records(t).base)
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		for _, path := range []string{"/?q=shark&filter=rating:PG", "/?q=shark+bicycle", "/?table=flim", "/?view=operations"} {
			b.opens(path)
			b.sees("#ready", "ready")
			if strings.Contains(path, "view") {
				b.sees("#sentence", "order")
				eval[any](b, "document.querySelectorAll('details').forEach(d => { d.open = true })")
				b.sees("#tables", "Settled to", "Run incremental")
			} else {
				b.sees("#hits, #state", "a")
			}
			if strings.Contains(path, "rating") {
				b.sees("#facets", "rating")
				b.click("#hits .key")
			}
			if got := eval[string](b, contrast); got != "" {
				t.Errorf("%s, %s: %s", path, scheme, got)
			}
		}
	}
}
