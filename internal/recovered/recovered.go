// Package recovered turns a panic into an error, so that one table's pass, or one
// request, fails alone and the process goes on.
//
// A panic ends the process unless a function that was deferred on the same
// goroutine recovers it. So every goroutine that works for a pass defers Into,
// and the pass itself does.
package recovered

import (
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"
)

// An Error is a panic that was recovered.
type Error struct {
	Value any
	stack string
	taken atomic.Bool
}

// Error is one line, without the stack.
func (e *Error) Error() string {
	return "panic: " + strings.Join(strings.Fields(fmt.Sprint(e.Value)), " ") + ": this is a bug in indexerd: report it with the stack in the log"
}

// Stack returns the stack of the panic to the first caller, and "" to others:
// a stack is logged once, however many callers see the error.
func (e *Error) Stack() string {
	if e.taken.Swap(true) {
		return ""
	}
	return e.stack
}

// Into recovers a panic that is under way and stores it in *err. It has to be
// deferred itself: defer recovered.Into(&err). An Error that another goroutine
// recovered and that was raised again keeps its stack.
func Into(err *error) {
	switch v := recover().(type) {
	case nil:
	case *Error:
		*err = v
	default:
		*err = &Error{Value: v, stack: string(debug.Stack())}
	}
}

// Again raises the panics among errors in this goroutine. It is for a caller that
// waited for goroutines and returns no error.
func Again(errs []error) {
	for _, err := range errs {
		if err != nil {
			panic(err)
		}
	}
}
