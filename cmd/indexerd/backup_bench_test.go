package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"indexerd/configs"
)

// stopTarget is how long a backup of a gigabyte may stop indexing.
const stopTarget = time.Second

// BenchmarkBackup backs up the data directory of a daemon that follows a table
// of rows of about 500 bytes, of which one changes every 50 ms. How far the last
// durable window lies behind shows how long indexing stopped: by how much it is
// farther than in a while without a backup.
func BenchmarkBackup(b *testing.B) {
	rows := 2 * benchRows(b) // by default a gigabyte of data directory
	file, dsn, p := notesOf500Bytes(b, rows)
	cfg, err := configs.LoadWithoutSecrets(file, os.LookupEnv)
	if err != nil {
		b.Fatal(err)
	}
	defer changes(b, dsn, rows)()
	eventually(b, time.Minute, "the first window is read", func() error {
		if p.status(b).Tables[0].LagS == nil {
			return errors.New("none is")
		}
		return nil
	})
	var usual, during, took time.Duration
	for i := range b.N {
		usual = max(usual, farthest(b, p, func() { <-time.After(20 * time.Second) }))
		during = max(during, farthest(b, p, func() {
			began := time.Now()
			commands(b, 0, "backup", "-c", file, filepath.Join(b.TempDir(), fmt.Sprint(i)))
			took = max(took, time.Since(began))
		}))
	}
	stopped := max(during-usual, 0)
	misses := stopped > stopTarget
	fmt.Printf("backup: rows=%d data=%dMB took=%.1fs behind=%.2fs usually=%.2fs stopped=%.2fs target=%v %s\n",
		rows, size(b, cfg.Data)>>20, took.Seconds(), during.Seconds(), usual.Seconds(), stopped.Seconds(), stopTarget, outcome(misses))
	if misses {
		b.Fail()
	}
}

// changes changes a row every 50 ms, until its context ends.
func changes(b *testing.B, dsn string, rows int) (stop func()) {
	b.Helper()
	db, err := pgx.Connect(b.Context(), dsn)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() {
		for i := 0; ctx.Err() == nil; i++ {
			if _, err := db.Exec(context.Background(), "UPDATE note SET updated = now() WHERE id = $1", i%rows+1); err != nil {
				ended <- err
				return
			}
			<-time.After(50 * time.Millisecond)
		}
		ended <- db.Close(context.Background())
	}()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	}
}

// farthest returns how far the last durable window lay behind at most while f
// ran.
func farthest(b *testing.B, p *proc, f func()) (behind time.Duration) {
	b.Helper()
	ended := make(chan struct{})
	go func() { defer close(ended); f() }()
	for {
		lag := p.status(b).Tables[0].LagS
		if lag == nil {
			b.Fatal("the daemon does not follow")
		}
		behind = max(behind, time.Duration(*lag*float64(time.Second)))
		select {
		case <-ended:
			return behind
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// size adds up the files below a directory that changes.
func size(b *testing.B, dir string) (n int64) {
	b.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // it went meanwhile
		}
		if info, err := d.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}
