// Package fst writes finite state transducers as vellum reads them.
package fst

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// A Builder writes a finite state transducer of vellum, version 1, from terms in
// order. It shares prefixes, but no suffixes: vellum's builder finds them by a
// table that it hashes every state into and clears for every field, which takes
// five times the CPU for a twelfth of the size.
//
//	header   8 bytes 1, 8 bytes 0, little-endian
//	states   children before parents, each read backwards from its last byte
//	footer   8 bytes number of terms, 8 bytes address of the root
//
// The address of a state is that of its last byte, 0 for the final state without
// transitions. A state with one transition that is not final has
//
//	output, distance, sizes of both; 1 byte each size in a nibble    unless the next state is the one before it
//	character                                                        unless it is common
//	0x80 | 0x40 if the next state is the one before it | rank of a common character
//
// and all other states have
//
//	final output, outputs, distances, characters, each in reverse order of transitions
//	sizes of a distance and of an output in a nibble
//	number of transitions                                            if it is more than 63
//	0x40 if final | number of transitions up to 63
type Builder struct {
	out  []byte
	n    int
	last int     // address of the last state written
	path []state // of the last term, from the root
}

// A state is on the path of the last term.
type state struct {
	transitions []transition
	final       bool
	output      uint64 // if final
	open        bool   // has a transition to the next state of the path
	char        byte   // of the open transition
	charOutput  uint64
}

type transition struct {
	output uint64
	to     int
	char   byte
}

// bytesPerTerm is more than most terms add to a transducer.
const bytesPerTerm = 64

const noState = 1 // an address that no state has

// Start begins an empty transducer of about so many bytes.
func (f *Builder) Start(size int) {
	f.out = slices.Grow(f.out[:0], size)
	f.out = binary.LittleEndian.AppendUint64(f.out[:0], 1)
	f.out = binary.LittleEndian.AppendUint64(f.out, 0)
	f.n, f.last, f.path = 0, noState, f.path[:0]
	f.push(false)
}

func (f *Builder) push(final bool) *state {
	if len(f.path) == cap(f.path) {
		f.path = append(f.path, state{})
	} else {
		f.path = f.path[:len(f.path)+1]
	}
	s := &f.path[len(f.path)-1]
	*s = state{transitions: s.transitions[:0], final: final}
	return s
}

// Insert adds a term, which must come after all others.
func (f *Builder) Insert(term []byte, output uint64) error {
	f.n++
	if len(f.out)+bytesPerTerm > cap(f.out) { // append would make a large list longer by a quarter only
		f.out = slices.Grow(f.out, len(f.out)+bytesPerTerm)
	}
	if len(term) == 0 {
		f.path[0].final, f.path[0].output = true, output
		return nil
	}
	i := 0
	for i < len(term) && f.path[i].open && f.path[i].char == term[i] {
		output = f.share(i, output)
		i++
	}
	f.freeze(i)
	s := &f.path[i]
	s.open, s.char, s.charOutput = true, term[i], output
	for _, c := range term[i+1:] {
		s := f.push(false)
		s.open, s.char = true, c
	}
	f.push(true)
	return nil
}

// share leaves in the open transition of a state what its terms and a new one
// have in common of their outputs, and moves the rest of it behind. It returns
// the rest of the new output.
func (f *Builder) share(i int, output uint64) uint64 {
	s := &f.path[i]
	common := min(s.charOutput, output)
	if rest := s.charOutput - common; rest != 0 {
		s.charOutput = common
		f.path[i+1].add(rest)
	}
	return output - common
}

func (s *state) add(output uint64) {
	if s.final {
		s.output += output
	}
	for i := range s.transitions {
		s.transitions[i].output += output
	}
	if s.open {
		s.charOutput += output
	}
}

// freeze writes the states of the path behind state i.
func (f *Builder) freeze(i int) {
	to := noState
	for k := len(f.path) - 1; k > i; k-- {
		f.path[k].shut(to)
		to = f.write(&f.path[k])
	}
	f.path = f.path[:i+1]
	f.path[i].shut(to)
}

// shut makes the open transition one that leads to an address.
func (s *state) shut(to int) {
	if s.open {
		s.transitions = append(s.transitions, transition{s.charOutput, to, s.char})
		s.open = false
	}
}

// Finish returns the transducer, which is valid until the next Start.
func (f *Builder) Finish() ([]byte, error) {
	f.freeze(0)
	root := f.write(&f.path[0])
	f.out = binary.LittleEndian.AppendUint64(f.out, uint64(f.n))
	f.out = binary.LittleEndian.AppendUint64(f.out, uint64(root))
	return f.out, nil
}

// write writes a state and returns its address.
func (f *Builder) write(s *state) int {
	if len(s.transitions) == 0 && s.final && s.output == 0 {
		return 0
	}
	if len(s.transitions) == 1 && !s.final {
		f.writeOne(s.transitions[0])
	} else {
		f.writeMany(s)
	}
	f.last = len(f.out) - 1
	return f.last
}

const (
	oneTransition = 1 << 7
	nextBefore    = 1 << 6
	finalState    = 1 << 6
	maxInHead     = 1<<6 - 1
)

func (f *Builder) writeOne(t transition) {
	head := byte(oneTransition)
	if t.output == 0 && t.to == f.last {
		head |= nextBefore
	} else {
		outputSize, distance := 0, distance(len(f.out), t.to)
		if t.output != 0 {
			outputSize = packedSize(t.output)
			f.pack(t.output, outputSize)
		}
		f.pack(distance, packedSize(distance))
		f.out = append(f.out, byte(packedSize(distance)<<4|outputSize))
	}
	if ranks[t.char] == 0 {
		f.out = append(f.out, t.char)
	}
	f.out = append(f.out, head|ranks[t.char])
}

func (f *Builder) writeMany(s *state) {
	start := len(f.out)
	sizes := f.writeOutputs(s)
	distanceSize := 0
	for _, t := range s.transitions {
		distanceSize = max(distanceSize, packedSize(distance(start, t.to)))
	}
	for i := len(s.transitions) - 1; i >= 0; i-- {
		f.pack(distance(start, s.transitions[i].to), distanceSize)
	}
	for i := len(s.transitions) - 1; i >= 0; i-- {
		f.out = append(f.out, s.transitions[i].char)
	}
	f.out = append(f.out, byte(distanceSize<<4|sizes))
	head := byte(0)
	switch n := len(s.transitions); {
	case n <= maxInHead:
		head = byte(n)
	case n == 256:
		f.out = append(f.out, 1) // one transition would be in the head
	default:
		f.out = append(f.out, byte(n))
	}
	if s.final {
		head |= finalState
	}
	f.out = append(f.out, head)
}

// writeOutputs writes the outputs of a state and returns the size of each, 0 if
// all are 0.
func (f *Builder) writeOutputs(s *state) int {
	all := s.output
	for _, t := range s.transitions {
		all |= t.output
	}
	if all == 0 {
		return 0
	}
	size := packedSize(all)
	if s.final {
		f.pack(s.output, size)
	}
	for i := len(s.transitions) - 1; i >= 0; i-- {
		f.pack(s.transitions[i].output, size)
	}
	return size
}

// distance returns how far the state at an address is from the start of another.
func distance(start, to int) uint64 {
	if to == 0 {
		return 0
	}
	return uint64(start - to)
}

func packedSize(v uint64) int { return max(1, (bits.Len64(v)+7)/8) }

func (f *Builder) pack(v uint64, size int) {
	for range size {
		f.out = append(f.out, byte(v))
		v >>= 8
	}
}

// common are the characters that vellum knows, by rank.
const common = "te/oasripcnw.hlm-du012g=:bf3y5&_4v9678k%?xCDASFIBEjPTzRNM+LOqHG"

// ranks has the rank of each common character, from 1, and 0 for the others.
var ranks = func() (r [256]byte) {
	for i, c := range []byte(common) {
		r[c] = byte(i + 1)
	}
	return r
}()
