package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	"github.com/blevesearch/zapx/v17"
	"github.com/golang/snappy"

	"indexerd/internal/index/fulltext/bitset"
)

// An opened is a segment that zapx has opened in a file. It answers itself what zapx would
// answer from bytes that it trusts: a flipped bit is an error, and no panic of a goroutine
// of scorch, and takes no memory beyond that of a segment.
type opened struct {
	*zap.Segment
	src    *source                 // is not changed
	values map[string]*fieldValues // the docvalues of all fields
	names  []string                // of all fields
}

// OpenUsing implements scorch.SegmentPlugin. It opens no segment whose layout is wrong.
func (p *Plugin) OpenUsing(path string, config map[string]any) (_ segment.Segment, err error) {
	if check, ok := config[CheckKey].(func(string) error); ok && check != nil {
		if err := check(path); err != nil {
			return nil, err
		}
	}
	if err := CheckLayout(path); err != nil {
		return nil, err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer (&source{file: filepath.Base(path)}).caught(&err) // such as for the ends of chunks
	s, err := p.ZapPlugin.OpenUsing(path, config)
	if err != nil {
		return nil, err
	}
	o, err := newOpened(s.(*zap.Segment))
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return o, nil
}

// Open implements scorch.SegmentPlugin.
func (p *Plugin) Open(path string) (segment.Segment, error) { return p.OpenUsing(path, nil) }

func newOpened(z *zap.Segment) (*opened, error) {
	src, err := openSource(z)
	if err != nil {
		return nil, err
	}
	src.visible = new(bitset.LiveCache)
	o := &opened{Segment: z, src: src, values: map[string]*fieldValues{}}
	for _, f := range src.fields {
		data, _, err := src.record(f)
		if err != nil {
			return nil, src.name(err)
		}
		o.values[f.name], o.names = &fieldValues{data: data}, append(o.names, f.name)
	}
	return o, nil
}

// unwrap returns the segments as zapx knows them.
func unwrap(segments []segment.Segment) []segment.Segment {
	plain := make([]segment.Segment, len(segments))
	for i, s := range segments {
		if o, ok := s.(*opened); ok {
			s = o.Segment
		}
		plain[i] = s
	}
	return plain
}

// DocNumbers implements segment.Segment. Scorch calls it in a goroutine that recovers
// from no panic.
func (o *opened) DocNumbers(ids []string) (docs *roaring.Bitmap, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer o.src.caught(&err)
	if docs, err = o.Segment.DocNumbers(ids); err != nil {
		return nil, fmt.Errorf("%w: %w", o.src.name(errBroken), err)
	}
	if !docs.IsEmpty() && docs.Maximum() >= uint32(o.src.docs) {
		return nil, o.src.name(errBroken)
	}
	return docs, nil
}

// storedBuffers have the memory of decompressed stored fields.
var storedBuffers = sync.Pool{New: func() any { return new([]byte) }}

// VisitStoredFields implements segment.Segment.
func (o *opened) VisitStoredFields(doc uint64, visit segment.StoredFieldValueVisitor) error {
	meta, id, compressed, err := o.src.storedParts(doc)
	if err != nil || id == nil || !visit("_id", storedType, id, nil) {
		return o.src.name(err)
	}
	buf := storedBuffers.Get().(*[]byte)
	defer storedBuffers.Put(buf)
	if *buf, err = decompress(*buf, compressed); err != nil {
		return o.src.name(err)
	}
	values := decoder{data: *buf}
	for meta.at < uint64(len(meta.data)) {
		f, kind, at, size := meta.uvarint(), meta.uvarint(), meta.uvarint(), meta.uvarint()
		lists := meta.uvarint()
		values.at = at
		value := values.bytes(size)
		if meta.broken || values.broken || f >= uint64(len(o.names)) || lists != 0 {
			return o.src.name(errBroken)
		}
		if !visit(o.names[f], byte(kind), value, nil) {
			return nil
		}
	}
	return nil
}

// DocID implements segment.Segment.
func (o *opened) DocID(doc uint64) ([]byte, error) {
	_, id, _, err := o.src.storedParts(doc)
	return id, o.src.name(err)
}

// storedParts returns what is stored of a document: where each value is, the id, and the
// compressed values. All are nil for a document that the segment does not have.
func (s *source) storedParts(doc uint64) (meta decoder, id, compressed []byte, err error) {
	if doc >= uint64(s.docs) {
		return decoder{}, nil, nil, nil
	}
	d := decoder{data: s.data, at: binary.BigEndian.Uint64(s.data[s.stored+8*doc:])}
	metaSize, dataSize := d.uvarint(), d.uvarint()
	meta = decoder{data: d.bytes(metaSize)}
	data := decoder{data: d.bytes(dataSize)}
	id = data.bytes(meta.uvarint())
	if d.broken || meta.broken || data.broken {
		return decoder{}, nil, nil, errBroken
	}
	return meta, id[:len(id):len(id)], data.data[data.at:], nil
}

// maxRatio bounds the memory of decompressed bytes: snappy makes no text smaller than a
// 22nd.
const maxRatio = 32

// decompress returns the decompressed bytes. It uses the memory of buf.
func decompress(buf, compressed []byte) ([]byte, error) {
	size, err := snappy.DecodedLen(compressed)
	if err != nil || size > maxRatio*(len(compressed)+1) {
		return buf, errBroken
	}
	out, err := snappy.Decode(buf[:cap(buf)], compressed)
	if err != nil {
		return buf, errBroken
	}
	return out, nil
}
