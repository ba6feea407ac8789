package servers

import (
	"context"
	"errors"
)

// A Switch is a way to a server that can be cut.
type Switch struct {
	one chan struct{} // held by a request
	cut bool
}

// NewSwitch returns a way that is open.
func NewSwitch() *Switch { return &Switch{one: make(chan struct{}, 1)} }

// Send implements Gate.
func (s *Switch) Send(_ context.Context, _, _ string, effect func() func()) error {
	s.one <- struct{}{}
	defer func() { <-s.one }()
	if s.cut {
		return errors.New("simulated: the way is cut")
	}
	effect()
	return nil
}

// Cut cuts the way, or opens it.
func (s *Switch) Cut(cut bool) {
	s.one <- struct{}{}
	s.cut = cut
	<-s.one
}
