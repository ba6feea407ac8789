package main

import ("testing";"math/rand/v2";"indexerd/internal/doc")

func BenchmarkGet(b *testing.B) {
	p := plan{N: 200000, Size: 1024}
	for _, name := range []string{"filemap-mmap","pogreb","filemap-mmap","pogreb"} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			s, err := openStore(name, dir, p.N)
			if err != nil { b.Fatal(err) }
			if _, _, err := putAll(s, p, p.N, 0); err != nil { b.Fatal(err) }
			for i := range p.N { s.Get(key(i)) }
			keys := make([]doc.OID, 1<<16)
			for i := range keys { keys[i] = key(rand.IntN(p.N)) }
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; i < b.N; i++ {
				if v, err := s.Get(keys[i&(1<<16-1)]); err != nil || len(v) == 0 { b.Fatal(err) }
			}
			b.StopTimer()
			s.Close()
		})
	}
}
