package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"indexerd/internal/test/browser"
)

// A tab is a page of the dashboard in a separate browser.
type tab struct {
	testing.TB
	ctx context.Context
}

// browse opens the dashboard in headless Chromium.
func browse(t testing.TB, base string) tab {
	t.Helper()
	return tab{t, browser.Open(t, base)}
}

// do takes steps. A click on what never appears fails.
func (b tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, soon)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// eval is the value of an expression in the page.
func eval[T any](b tab, expression string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// sees waits until the text of what the selector finds contains all words.
func (b tab) sees(selector string, words ...string) {
	b.Helper()
	eventually(b, soon, fmt.Sprintf("%s shows %q", selector, words), func() error {
		got := eval[string](b, fmt.Sprintf("[...document.querySelectorAll(%q)].map(e => e.innerText).join('\\n')", selector))
		for _, w := range words {
			if !strings.Contains(got, w) {
				return fmt.Errorf("it shows %q", got)
			}
		}
		return nil
	})
}

func (b tab) press(keys string) { b.Helper(); b.do(chromedp.KeyEvent(keys)) }

func (b tab) click(selector string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, soon)
	defer cancel()
	for {
		err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS(selector)))
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), "Could not find node") { // else the page was drawn again between look and click
			b.Fatal(err)
		}
	}
}

// opens opens another address of the same server.
func (b tab) opens(path string) {
	b.Helper()
	b.do(chromedp.Navigate(eval[string](b, "location.origin") + path))
}

// views changes to a view, search or operations.
func (b tab) views(name string) {
	b.Helper()
	eval[any](b, fmt.Sprintf("document.querySelector('[data-view=%s]').click()", name))
}

// search puts a query in place of the last one, by keyboard alone. It comes as one
// event, as an input method's: letter by letter, a slow machine would search
// for each beginning of it too, and show that when it is no longer expected.
func (b tab) search(q string) {
	b.Helper()
	eval[any](b, "document.activeElement.blur()")
	b.do(func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
		// One event, as a keyboard's is: the page's refusal of the key is one of its character too.
		_, err = chromedp.Call(ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: "/", Text: "/"})
		if err == nil {
			_, err = chromedp.Call(ctx, input.InsertText, input.InsertTextParams{Text: q})
		}
		return v, err
	})
}

// finds is search, and waits for the answer: it takes the place of the last one
// with all that has the focus in it, or is to be clicked.
func (b tab) finds(q string, words ...string) {
	b.Helper()
	eval[any](b, "document.querySelector('#found').textContent = ''")
	b.search(q)
	b.sees("#found", "found")
	b.sees("#hits mark", words...)
}

// scheme makes the browser prefer light or dark.
func (b tab) scheme(name string) {
	b.Helper()
	b.do(func(ctx context.Context, t *chromedp.Target) (v chromedp.Void, err error) {
		_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"}},
		})
		return v, err
	})
}

// picture keeps what the tab shows in a file of docs/images.
func (b tab) picture(name string) {
	b.Helper()
	shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	pixels, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		b.Fatal(err)
	}
	few := image.NewPaletted(pixels.Bounds(), colours(pixels))
	draw.Draw(few, few.Bounds(), pixels, image.Point{}, draw.Src)
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, few); err != nil {
		b.Fatal(err)
	}
	if most := 150 << 10; small.Len() > most {
		b.Errorf("%s: %d bytes, want at most %d", name, small.Len(), most)
	}
	if err := os.WriteFile(filepath.Join("..", "..", "docs", "images", name), small.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
}

// near reports whether a palette has a colour that looks like another one.
func near(c color.Color, p color.Palette) bool {
	r, g, b, _ := c.RGBA()
	x, y, z, _ := p.Convert(c).RGBA()
	apart := func(a, b uint32) int { return max(int(a), int(b)) - min(int(a), int(b)) }
	return max(apart(r, x), apart(g, y), apart(b, z)) < 0x1800
}

// colours are the most frequent ones of a picture: with them it is a third of
// the size and looks the same.
func colours(pixels image.Image) color.Palette {
	count := map[color.Color]int{}
	for y := range pixels.Bounds().Dy() {
		for x := range pixels.Bounds().Dx() {
			count[pixels.At(x, y)]++
		}
	}
	var chosen color.Palette
	for _, c := range slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int { return count[b] - count[a] }) {
		if len(chosen) < 256 && (len(chosen) < 160 || !near(c, chosen)) { // leaves room for the few pixels of a signal
			chosen = append(chosen, c)
		}
	}
	return chosen
}
