package pagetable

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"indexerd/internal/base/doc"
)

// The cell meta:page, numbers in big-endian order:
//
//	 0  format u8      1
//	 1  kind u8        1 a page, 2 a removal
//	 2  updated i64    microseconds; the least number: no time
//	10  digest u64     of the token
//	18  epoch u32      of the token
//	22  fetch u64
//	30  fetched i64    as updated; of a removal the daemon's time of it
//	38  hash u64
//	46  version u64    the timestamp of the cell
//	54  generation u32
//	58  length u32     of the content
//	62  checksum u64   xxh3 of the content
//	70  names          of the children in their order, each as JSON behind its length u16
//
// The content is the canonical JSON of a row, doc.Row: row:json has the columns, and
// child:NAME the rows of a child. Both are joined again when the page is read, byte
// for byte.
const (
	cellFormat = 1
	cellSize   = 70
	kindPage   = 1
	kindGone   = 2
)

// Qualifiers of cells.
const (
	pageCell = "page"
	rowCell  = "json"
)

const noTime = math.MinInt64

func appendTime(b []byte, t time.Time) []byte {
	n := int64(noTime)
	if !t.IsZero() {
		n = t.UnixMicro()
	}
	return binary.BigEndian.AppendUint64(b, uint64(n))
}

func timeOf(n uint64) time.Time {
	if int64(n) == noTime {
		return time.Time{}
	}
	return time.UnixMicro(int64(n)).UTC()
}

// encode returns the cells of a page.
func (p *Pages) encode(page *doc.Page) (Cells, error) {
	row, children := cut(page.Body)
	b := head(kindPage, page.Meta, page.Body)
	list := []Cell{{}, {Row, rowCell, uint64(page.V), row}}
	for _, c := range children {
		if len(c.name) > math.MaxUint16 {
			return Cells{}, &RefusedError{fmt.Sprintf("the name of a child has %d bytes", len(c.name))}
		}
		b = binary.BigEndian.AppendUint16(b, uint16(len(c.name)))
		b = append(b, c.name...)
		list = append(list, Cell{Child, string(c.name), uint64(page.V), c.rows})
	}
	list[0] = Cell{Meta, pageCell, uint64(page.V), b}
	return Cells{p.key(page.OID), list}, nil
}

// encodeGone returns the cells of a removal. They take the place of the content.
func (p *Pages) encodeGone(r doc.Removal, at time.Time) Cells {
	v := uint64(r.V)
	return Cells{p.key(r.OID), []Cell{
		{Meta, pageCell, v, head(kindGone, doc.Meta{V: r.V, Fetched: at}, nil)},
		{Row, rowCell, v, nil},
	}}
}

func head(kind byte, m doc.Meta, body []byte) []byte {
	b := make([]byte, 0, cellSize+32)
	b = append(b, cellFormat, kind)
	b = appendTime(b, m.Updated)
	b = binary.BigEndian.AppendUint64(b, m.Token.Digest)
	b = binary.BigEndian.AppendUint32(b, m.Token.Epoch)
	b = binary.BigEndian.AppendUint64(b, uint64(m.Fetch))
	b = appendTime(b, m.Fetched)
	b = binary.BigEndian.AppendUint64(b, uint64(m.Hash))
	b = binary.BigEndian.AppendUint64(b, uint64(m.V))
	b = binary.BigEndian.AppendUint32(b, uint32(m.Gen))
	b = binary.BigEndian.AppendUint32(b, uint32(len(body)))
	return binary.BigEndian.AppendUint64(b, xxh3.Hash(body))
}

// A stored is a decoded cell meta:page.
type stored struct {
	doc.Meta
	gone   bool
	length int
	sum    uint64
	names  [][]byte // of children, as JSON
}

// decode decodes the cell meta:page of a page.
func decode(oid doc.OID, c Cell) (s stored, err error) {
	b := c.Value
	if len(b) < cellSize {
		return s, fmt.Errorf("%w: its description has %d bytes", ErrCorrupt, len(b))
	}
	if b[0] > cellFormat {
		return s, fmt.Errorf("%w: its description has format %d, and this release reads %d: a newer release of indexerd wrote it: start that release, or wait until this one fetches the row again", ErrCorrupt, b[0], cellFormat)
	}
	if b[0] != cellFormat || b[1] != kindPage && b[1] != kindGone {
		return s, fmt.Errorf("%w: its description has format %d and kind %d", ErrCorrupt, b[0], b[1])
	}
	u64 := func(at int) uint64 { return binary.BigEndian.Uint64(b[at:]) }
	u32 := func(at int) uint32 { return binary.BigEndian.Uint32(b[at:]) }
	s.gone = b[1] == kindGone
	s.Meta = doc.Meta{
		Stamp: doc.Stamp{OID: oid, Updated: timeOf(u64(2)), Token: doc.Token{Digest: u64(10), Epoch: u32(18)}},
		Fetch: doc.FetchSeq(u64(22)), Fetched: timeOf(u64(30)), Hash: doc.DocHash(u64(38)),
		V: doc.Version(u64(46)), Gen: doc.Generation(u32(54)),
	}
	s.length, s.sum = int(u32(58)), u64(62)
	if u64(46) != c.At {
		return s, fmt.Errorf("%w: its description is of version %d and stands at %d", ErrCorrupt, u64(46), c.At)
	}
	for b = b[cellSize:]; len(b) > 0; {
		n := -1
		if len(b) >= 2 {
			n = int(binary.BigEndian.Uint16(b))
		}
		if n < 0 || n > len(b)-2 {
			return s, fmt.Errorf("%w: the names of its children are cut", ErrCorrupt)
		}
		s.names, b = append(s.names, b[2:2+n]), b[2+n:]
	}
	return s, nil
}

// page returns the page that the cells of a row hold at the version of s.
func (s *stored) page(cells []Cell) (doc.Page, error) {
	at := func(family, qualifier string) ([]byte, bool) {
		i := slices.IndexFunc(cells, func(c Cell) bool {
			return c.At == uint64(s.V) && c.Family == family && c.Qualifier == qualifier
		})
		if i < 0 {
			return nil, false
		}
		return cells[i].Value, true
	}
	body, ok := at(Row, rowCell)
	if len(s.names) > 0 {
		var b bytes.Buffer
		b.WriteString(`{"row":`)
		b.Write(body)
		b.WriteString(`,"children":{`)
		for i, name := range s.names {
			if i > 0 {
				b.WriteByte(',')
			}
			rows, there := at(Child, string(name))
			ok = ok && there
			b.Write(name)
			b.WriteByte(':')
			b.Write(rows)
		}
		b.WriteString("}}")
		body = b.Bytes()
	}
	if !ok || len(body) != s.length || xxh3.Hash(body) != s.sum {
		return doc.Page{}, fmt.Errorf("page %.40s: %w: its content is not what was written", s.OID, ErrCorrupt)
	}
	return doc.Page{Meta: s.Meta, Body: body}, nil
}

// A childRows is a child in the content of a page. The name is JSON, as in the content.
type childRows struct{ name, rows []byte }

// cut cuts the content of a page into the columns and the children. Content without
// children, or of another form than doc.Row's, is all row.
func cut(body []byte) (row []byte, children []childRows) {
	rest, ok := bytes.CutPrefix(body, []byte(`{"row":`))
	if !ok {
		return body, nil
	}
	columns, rest := value(rest)
	rest, ok = bytes.CutPrefix(rest, []byte(`,"children":{`))
	if !ok {
		return body, nil
	}
	for {
		var c childRows
		c.name, rest = value(rest)
		if rest, ok = bytes.CutPrefix(rest, []byte(":")); !ok {
			return body, nil
		}
		c.rows, rest = value(rest)
		children = append(children, c)
		if string(rest) == "}}" {
			return columns, children
		}
		if rest, ok = bytes.CutPrefix(rest, []byte(",")); !ok {
			return body, nil
		}
	}
}

// value returns the JSON value at the beginning of b, and the rest; nil and b if there
// is none.
func value(b []byte) (v json.RawMessage, rest []byte) {
	d := json.NewDecoder(bytes.NewReader(b))
	if d.Decode(&v) != nil || len(b) > 0 && b[0] == ' ' {
		return nil, b
	}
	return b[:d.InputOffset()], b[d.InputOffset():]
}
