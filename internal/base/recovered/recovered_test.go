package recovered

import (
	"errors"
	"strings"
	"sync"
	"testing"
)

func fails() (err error) {
	defer Into(&err)
	var rows []string
	_ = rows[3]
	return nil
}

func TestIntoReturnsPanicWithStack(t *testing.T) {
	err := fails()
	var panicked *Error
	if !errors.As(err, &panicked) {
		t.Fatalf("got %v, want a recovered panic", err)
	}
	if got := err.Error(); !strings.Contains(got, "index out of range [3]") || strings.Contains(got, "\n") {
		t.Errorf("got %q, want one line with the panic's text", got)
	}
	if got := panicked.Stack(); !strings.Contains(got, "recovered.fails") {
		t.Errorf("got the stack %q, want the function that panicked", got)
	}
	if got := panicked.Stack(); got != "" {
		t.Errorf("got the stack %q for a second time, want it once", got)
	}
}

func TestIntoKeepsErrorWithoutPanic(t *testing.T) {
	want := errors.New("mine")
	if got := func() (err error) { defer Into(&err); return want }(); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAgainKeepsTheStackOfTheWorker(t *testing.T) {
	errs := make([]error, 2)
	var workers sync.WaitGroup
	workers.Go(func() { defer Into(&errs[1]); panic("of a worker") })
	workers.Wait()
	err := func() (err error) { defer Into(&err); Again(errs); return nil }()
	var panicked *Error
	if !errors.As(err, &panicked) || panicked.Value != "of a worker" || !strings.Contains(panicked.Stack(), "TestAgainKeepsTheStackOfTheWorker") {
		t.Errorf("got %v, want the worker's panic", err)
	}
}
