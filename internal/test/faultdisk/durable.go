package faultdisk

import (
	"math/rand/v2"
	"slices"
)

// pageSize is the unit in which a disk writes.
const pageSize = 4096

// A write is a change of a file that is not durable yet: data at an offset or, if
// data is nil, a new length.
type write struct {
	at   int64
	data []byte
}

func (w write) apply(file []byte) []byte {
	if w.data == nil {
		return resize(file, w.at)
	}
	file = resize(file, max(int64(len(file)), w.at+int64(len(w.data))))
	copy(file[w.at:], w.data)
	return file
}

func resize(file []byte, size int64) []byte {
	if more := size - int64(len(file)); more > 0 {
		return append(file, make([]byte, more)...)
	}
	return file[:size]
}

// sync makes the content of a file durable.
func (n *node) sync() {
	for _, w := range n.unsynced {
		n.synced = w.apply(n.synced)
	}
	n.unsynced = nil
}

func (n *node) syncAll() {
	n.sync()
	for _, child := range n.names {
		child.syncAll()
	}
}

// left returns what a power cut leaves of a file: of the writes that were not
// synced, random pages, or none if draw is nil.
func (n *node) left(draw *rand.Rand) []byte {
	file := slices.Clone(n.synced)
	if draw == nil {
		return file
	}
	odds := draw.IntN(5) // a page is there with the probability odds/4
	for _, w := range n.unsynced {
		if w.data == nil {
			if draw.IntN(4) < odds {
				file = w.apply(file)
			}
			continue
		}
		for at := w.at; at < w.at+int64(len(w.data)); {
			end := min((at/pageSize+1)*pageSize, w.at+int64(len(w.data)))
			if draw.IntN(4) < odds {
				file = write{at, w.data[at-w.at : end-w.at]}.apply(file)
			}
			at = end
		}
	}
	return file
}

// survivor returns what a power cut leaves of a node and of all below it. Two names
// of one file stay one file.
func (d *Disk) survivor(n *node, draw *rand.Rand, seen map[*node]*node) *node {
	if s := seen[n]; s != nil {
		return s
	}
	s := d.newNode(n.mode)
	seen[n] = s
	if !n.isDir() {
		s.data = n.left(draw)
		s.synced = slices.Clone(s.data)
		return s
	}
	for _, name := range n.listed(n.kept) { // in order, so that a seed gives the same result
		child := d.survivor(n.kept[name], draw, seen)
		s.names[name], s.kept[name] = child, child
	}
	return s
}
