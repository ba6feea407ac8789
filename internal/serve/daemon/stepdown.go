package daemon

import (
	"context"
	"net/http"

	"indexerd/internal/serve/httpapi"
)

// errAsked is why a term ends that nothing else has ended.
var errAsked = &stepDown{"indexerd step-down asks another daemon to lead"}

// StepDown has the daemon end its term when its passes have ended. It fails if no other
// daemon can lead.
func (e *Engine) StepDown(ctx context.Context) error {
	refuse := func(message, hint string) error {
		return &httpapi.Error{Status: http.StatusConflict, Code: "not_leading", Message: message, Hint: hint}
	}
	term := e.shared.Term()
	switch {
	case e.shared == nil:
		return refuse("no other daemon shares the marks", "see docs/standby.md for two daemons")
	case term == nil:
		return refuse("this daemon does not lead", "ask the one that does: see status")
	case !e.shared.Replaceable(ctx, term):
		return refuse("no other daemon can lead", "see status: start a standby, or repair why it does not lead")
	}
	select {
	case e.stepDowns <- struct{}{}:
	default: // it was asked before
	}
	return nil
}
