package store

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"indexerd/internal/atomicfile"
	"indexerd/internal/doc"
)

// Dump prints the files of a map as text, a line for each thing in them, and
// what is wrong with it. It takes no lock and changes nothing; of a map that is
// being written it may show a moment between two steps.
func Dump(w io.Writer, dir string) error {
	d := dumper{w: bufio.NewWriter(w), dir: dir}
	err := join(d.values(), d.keys(), d.index(), d.dict())
	return join(err, d.w.Flush())
}

type dumper struct {
	w   *bufio.Writer
	dir string
}

func (d *dumper) line(format string, args ...any) { fmt.Fprintf(d.w, format+"\n", args...) }

// values prints the segments and their records.
func (d *dumper) values() error {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		return err
	}
	var numbers []uint32
	for _, e := range entries {
		if n, ok := segmentNumber(e.Name()); ok {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		if err := d.segment(n); err != nil {
			return err
		}
	}
	return nil
}

func (d *dumper) segment(number uint32) error {
	s, err := openSegment(readOnly{atomicfile.OS}, d.dir, number)
	if err != nil {
		return err
	}
	defer s.close()
	d.line("value%d.dat: %d bytes, last %d, rewrite %d, cleaned %d", number, s.end.Load(), s.last, s.rewrite, s.cleaned)
	if s.damaged {
		d.line("  damaged header")
	}
	c := newScan(s, 0, s.end.Load())
	for {
		found, err := c.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if found.rec == nil {
			d.line("  %d: %d bytes: %v", found.at, found.size, found.err)
			continue
		}
		d.record(found.at, &found.head, found.rec[headerSize:found.head.headLen()], found.err)
	}
}

func (d *dumper) record(at int64, h *header, key []byte, fault error) {
	meta := h.meta(doc.OID(key))
	line := fmt.Sprintf("  %d: page %v", at, meta.OID)
	if h.kind == kindDelete {
		line = fmt.Sprintf("  %d: tombstone %v", at, meta.OID)
	}
	line += fmt.Sprintf(" family %d seq %d batch %d", h.family, h.seq, h.batch)
	if h.kind == kindPut {
		line += fmt.Sprintf(" updated %s token %v/%d fetch %d fetched %s hash %016x v %d gen %d codec %d stored %d raw %d",
			printTime(meta.Updated), meta.Token, meta.Token.Epoch, meta.Fetch, printTime(meta.Fetched),
			uint64(meta.Hash), meta.V, meta.Gen, h.codec, h.stored, h.raw)
	}
	if fault != nil {
		line += ": " + fault.Error()
	}
	d.line("%s", line)
}

func printTime(t time.Time) string {
	if t.IsZero() {
		return "NULL"
	}
	return t.Format("2006-01-02T15:04:05.000000Z")
}

// keys prints the frames of key.dat.
func (d *dumper) keys() error {
	f, err := os.Open(keysName(d.dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	k := &keyLog{name: f.Name(), file: f}
	k.end.Store(info.Size())
	d.line("key.dat: %d bytes", info.Size())
	for frame, err := range k.frames(keysHeaderSize) {
		if err != nil {
			d.line("  %d: %v", frame.off, err)
			return nil
		}
		d.line("  %d: frame value%d.dat rewrite %d, from %d to %d", frame.off, frame.segment, frame.rewrite, frame.from, frame.to)
		for e := range frame.entries() {
			d.line("    %d: %v seq %d", e.place, doc.OID(e.key()), e.head.seq)
		}
	}
	return nil
}

// index prints address.idx: the tables, and the slots that are not empty.
func (d *dumper) index() error {
	f, err := os.Open(indexName(d.dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	head, tables, err := readIndex(f)
	if err != nil {
		d.line("address.idx: %v", err)
		return nil
	}
	d.line("address.idx: %d slots, from value%d.dat at %d and key.dat at %d, seq %d, versions %d",
		head.slots, head.at.segment, int64(head.at.place)*unit, head.keys, head.seq, head.versions)
	number := make(map[uint32]uint32)
	for _, s := range tables.segments {
		number[s.id] = s.number
		d.line("  id %d: value%d.dat rewrite %d, %d bytes, dead %d, tombstones %d", s.id, s.number, s.rewrite, s.end, s.dead, s.tombs)
	}
	r := bufio.NewReader(io.NewSectionReader(f, indexSlotsAt, head.slots*8))
	for i, t := range tables.shards {
		if t.slots > 0 {
			d.line("  shard %d: %d slots, %d used, %d live, pages %v", i, t.slots, t.used, t.live, t.cells)
		}
		for j := range t.slots {
			var n uint64
			if err := binary.Read(r, binary.LittleEndian, &n); err != nil {
				return err
			}
			d.slot(j, slot(n), number)
		}
	}
	return nil
}

func (d *dumper) slot(at uint32, s slot, number map[uint32]uint32) {
	switch s {
	case empty:
	case gone:
		d.line("    %d: gone", at)
	default:
		d.line("    %d: tag %d class %d value%d.dat at %d", at, s.tag(), s.class(), number[s.address().id()], s.address().offset())
	}
}

func (d *dumper) dict() error {
	dictionary, err := readDict(atomicfile.OS, d.dir)
	if err != nil || dictionary == nil {
		return err
	}
	d.line("zstd.dict: %d bytes", len(dictionary))
	return nil
}
