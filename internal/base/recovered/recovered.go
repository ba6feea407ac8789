// Package recovered turns panics into errors, so that a panic fails one table's
// pass or one request and the process continues.
//
// A panic ends the process unless a deferred function of the same goroutine
// recovers it. Therefore each pass, and each goroutine that a pass starts, must
// defer Into.
package recovered

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync/atomic"
)

// An Error is a recovered panic.
type Error struct {
	Value any
	stack string
	taken atomic.Bool
}

// Error returns one line, without the stack.
func (e *Error) Error() string {
	return "panic: " + strings.Join(strings.Fields(fmt.Sprint(e.Value)), " ") + ": this is a bug in indexerd: report it with the stack in the log"
}

// Stack returns the stack of the panic on its first call and "" afterwards, so
// that a stack is logged once even if several callers log the error.
func (e *Error) Stack() string {
	if e.taken.Swap(true) {
		return ""
	}
	return e.stack
}

// Into recovers the current panic and stores it in *err. The caller must defer it
// directly: defer recovered.Into(&err). An Error that Again raised keeps the stack
// of its first panic.
func Into(err *error) {
	switch v := recover().(type) {
	case nil:
	case *Error:
		*err = v
	default:
		*err = &Error{Value: v, stack: string(debug.Stack())}
	}
}

// Again panics with the first error that is not nil. A caller that waited for
// goroutines and returns no error passes their panics on with it.
func Again(errs []error) {
	for _, err := range errs {
		if err != nil {
			panic(err)
		}
	}
}

// Log logs the stack of a panic that was recovered, once. It does nothing for other
// errors.
func Log(log *slog.Logger, err error) {
	if p := new(Error); errors.As(err, &p) {
		if stack := p.Stack(); stack != "" {
			log.Error("indexerd recovered from a panic", "error", err, "stack", stack)
		}
	}
}
