package main

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// A command that waits for a run ends when the daemon has not answered for a while: a
// daemon that is gone refuses connections at once, and one that is busy answers late.
func TestWaitForASilentDaemon(t *testing.T) {
	for name, takes := range map[string]time.Duration{"gone": 0, "hangs": 7 * time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := 0
				c := &client{http: http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
					asked++
					time.Sleep(takes)
					return nil, errors.New("connection refused")
				})}}
				began := time.Now()
				if _, err := c.wait(t.Context(), world{stdout: io.Discard, stderr: io.Discard}, "1"); err == nil {
					t.Fatal("a daemon that does not answer: want an error")
				}
				if took, most := time.Since(began), silentFor+takes+pollEvery; took < silentFor || took > most {
					t.Errorf("it took %v, want %v to %v", took, silentFor, most)
				}
				if most := int(silentFor/pollEvery) + 1; asked > most {
					t.Errorf("got %d requests, want %d at most", asked, most)
				}
			})
		})
	}
}

// A transport answers requests.
type transport func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
