// Package browser opens pages in a headless Chromium, for tests that use a page as a
// person does.
package browser

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"indexerd/internal/test/pgtest"
)

// startTimeout is how long a browser may take to start on a busy machine.
const startTimeout = time.Minute

// Open opens a page in a separate browser, which ends with the test. A test without the
// servers of make test is skipped, and so is one without a browser, unless CI is set.
func Open(t testing.TB, url string) context.Context {
	t.Helper()
	pgtest.NeedsServers(t)
	ctx, closeBrowser := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path(t)), chromedp.WSURLReadTimeout(startTimeout), chromedp.NoSandbox, // root has no sandbox; the page is ours
		chromedp.Flag("disable-lcd-text", true))...) // grey edges of letters: pictures of fewer colours
	ctx, closeTab := chromedp.NewContext(ctx)
	t.Cleanup(func() { closeTab(); closeBrowser() })
	// The first step starts the browser, which ends with the step's context.
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1360, 1000)); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// path is the browser that INDEXERD_TEST_CHROMIUM names, or Debian's.
func path(t testing.TB) string {
	t.Helper()
	name := os.Getenv("INDEXERD_TEST_CHROMIUM")
	if name == "" {
		name = "chromium-headless-shell"
	}
	found, err := exec.LookPath(name)
	switch {
	case err == nil:
		return found
	case os.Getenv("CI") != "":
		t.Fatalf("no browser to test with: %v: apt-get install chromium-headless-shell", err)
	default:
		t.Skipf("no browser to test with: %v: apt-get install chromium-headless-shell", err)
	}
	return ""
}
