package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestDashboardOfDemo looks at what `indexerd demo` shows a newcomer. With
// -update it takes the pictures of docs/images, for which a font with Chinese is needed.
func TestDashboardOfDemo(t *testing.T) {
	t.Parallel()
	p := start(t, "demo", "--listen", "127.0.0.1:0", "--dir", t.TempDir(), "--rows", "5000")
	p.ready(t)
	b := browse(t, p.base)
	b.sees("#facets", "customs-hold")
	b.search("冷冻虾仁")
	b.sees("#hits mark", "冷冻虾仁")
	b.views("operations")
	eventually(t, soon, "charts of the lag and of the passes", func() error {
		if got := eval[int](b, "document.querySelectorAll('.panel[open] figure:not(.empty) path[d]').length"); got != 4 {
			return fmt.Errorf("%d charts", got)
		}
		return nil
	})
	if *retake {
		b.pictures()
	}
}

func (b tab) pictures() {
	b.do(chromedp.EmulateViewport(1200, 800))
	b.scheme("light")
	b.opens("/")
	b.sees("#examples button", ":")
	b.sees("#facets", "customs-hold", "weight")
	b.picture("dashboard-start.png")
	b.search("frozen shrimp customs")
	b.sees("#hits mark", "shrimp")
	b.sees("#facets", "customs-hold", "weight", "ready")
	eval[any](b, `document.querySelector('[data-key="status:sailed"]').click()`)
	b.sees("#chips", "sailed")
	b.sees("#facets label:has(:checked)", "sailed")
	<-time.After(time.Second) // of counting facets
	b.picture("dashboard-search.png")
	b.scheme("dark")
	b.picture("dashboard-dark.png")
	b.scheme("light")
	b.do(chromedp.EmulateViewport(390, 800))
	b.picture("dashboard-phone.png")
	b.do(chromedp.EmulateViewport(1200, 800))
	b.search("frozen shrimp on a bicycle")
	b.sees("#state", "Nothing found")
	b.sees("#examples button", ":")
	b.picture("dashboard-empty.png")
	b.opens("/?q=shrimp&sort=-tonnage")
	b.sees("#state", "not possible")
	b.picture("dashboard-error.png")
}
