package schema

import "testing"

func FuzzDecodeMapping(f *testing.F) {
	for _, m := range []Mapping{library, actors, {}} {
		b, err := m.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"version":4}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := DecodeMapping(b)
		if err != nil {
			return
		}
		again, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := DecodeMapping(again); err != nil || got.Fingerprint() != m.Fingerprint() {
			t.Errorf("got %+v, %v; want %+v", got, err, m)
		}
	})
}
