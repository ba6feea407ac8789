package segment

import (
	"encoding/binary"
	"math/bits"
)

// Of eight bytes: the bits of four freqs without the bit for positions, and what makes a
// freq that is not 0 reach the highest of its bits.
const (
	freqBits = 0x007e007e007e007e
	carry    = 0x007f007f007f007f
	carried  = 0x0080008000800080
)

// decode reads the postings of documents: four at a time if they follow one another and
// their numbers are below 128.
func (s *Scan) decode(batch []Freq, dense bool) {
	data := s.tf.data
	for len(batch) > 0 {
		if n := batch[0].Freq; n > 0 {
			s.skip(int(n))
		}
		if at := s.tf.at; dense && len(batch) >= 4 && at+8 <= uint64(len(data)) {
			w := binary.LittleEndian.Uint64(data[at:])
			if w&longBits == 0 && (w&freqBits+carry)&carried == carried {
				to := batch[:4:4]
				to[0].Freq, to[0].Length = uint32(w>>1&0x7f), uint32(w>>8&0xff)
				to[1].Freq, to[1].Length = uint32(w>>17&0x7f), uint32(w>>24&0xff)
				to[2].Freq, to[2].Length = uint32(w>>33&0x7f), uint32(w>>40&0xff)
				to[3].Freq, to[3].Length = uint32(w>>49&0x7f), uint32(w>>56)
				batch, s.tf.at = batch[4:], at+8
				continue
			}
		}
		s.take(&batch[0])
		batch = batch[1:]
	}
}

// take reads the posting of a document. Most numbers are below 128.
func (s *Scan) take(to *Freq) {
	if at := s.tf.at; at+1 < uint64(len(s.tf.data)) {
		if freq, length := s.tf.data[at], s.tf.data[at+1]; 1 < freq && freq < oneByte && length < oneByte {
			s.tf.at = at + 2
			to.Freq, to.Length = uint32(freq>>1), uint32(length)
			return
		}
	}
	to.Freq, to.Length = uint32(s.tf.uvarint()>>1), 0
	if to.Freq > 0 {
		to.Length = uint32(s.tf.uvarint())
	}
}

// longBits are the bits of eight bytes of which the last byte of a number has none.
const longBits = 0x8080808080808080

// skip passes over n documents: as many numbers as they have, eight bytes at a time.
func (s *Scan) skip(n int) {
	if s.paired {
		n *= 2
	}
	data, at := s.tf.data, s.tf.at
	for ; n > 0 && at+8 <= uint64(len(data)); at += 8 {
		ends := ^binary.LittleEndian.Uint64(data[at:]) & longBits
		if k := bits.OnesCount64(ends); k < n {
			n -= k
			continue
		}
		for ; n > 1; n-- {
			ends &= ends - 1
		}
		s.tf.at = at + uint64(bits.TrailingZeros64(ends)/8) + 1
		return
	}
	for s.tf.at = at; n > 0 && !s.tf.broken; n-- {
		s.tf.uvarint()
	}
}
