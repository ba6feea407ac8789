package progress

import "io"

// A Reader has a meter count what is read.
type Reader struct {
	io.Reader
	Meter *Meter
}

// Read implements io.Reader.
func (r Reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.Meter.Add(int64(n))
	return n, err
}
