package sealed

import (
	"errors"
	"testing"
)

// Any bit that is flipped before the checksum is noticed. One in the words around the
// checksum may hide it; the text itself is right then.
func TestFlips(t *testing.T) {
	object := []byte(`{"key":"11","since":"2026-11-21T10:15:30.5Z","tries":2}`)
	lines := []byte("format = 1\nfilm.settled = 2026-11-21T10:15:30Z\n")
	for _, test := range []struct {
		name   string
		text   []byte
		body   int // bytes that the checksum covers
		digits int // where its digits are
		check  func([]byte) error
	}{
		{"object", AppendObject(nil, object), len(object) - 1, len(object) + 7, CheckObject},
		{"object and newline", append(AppendObject(nil, object), '\n'), len(object) - 1, len(object) + 7, CheckObject},
		{"comment", AppendComment(lines), len(lines), len(lines) + 9, CheckComment},
	} {
		if err := test.check(test.text); err != nil {
			t.Errorf("%s: got %v, want no error", test.name, err)
		}
		for bit := range 8 * len(test.text) {
			damaged := append([]byte(nil), test.text...)
			damaged[bit/8] ^= 1 << (bit % 8)
			at := bit / 8
			must := at < test.body || test.digits <= at && at < test.digits+8
			if err := test.check(damaged); must && !errors.Is(err, ErrDamaged) {
				t.Errorf("%s: got %v with bit %d of byte %d flipped, want %v: %q", test.name, err, bit%8, at, ErrDamaged, damaged)
			}
		}
	}
}

// What a release before this one wrote has no checksum.
func TestUnsealed(t *testing.T) {
	for _, text := range []string{"", "{}", `{"a":1}`, `{"reason":"a long text that has no checksum"}`} {
		if err := CheckObject([]byte(text)); err != nil {
			t.Errorf("%q: got %v, want no error", text, err)
		}
	}
	if err := CheckComment([]byte("# How far each pass of each table has come\nformat = 1\n")); err != nil {
		t.Errorf("got %v, want no error", err)
	}
	if got, want := string(AppendObject([]byte("x\n"), []byte(`{"a":1}`))), "x\n"+`{"a":1,"crc":"`; got[:len(want)] != want {
		t.Errorf("got %q, want it to begin with %q", got, want)
	}
}
