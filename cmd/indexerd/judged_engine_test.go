package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/test/nodetest"
)

// A judgedEngine is where the index of TestJudged is, and what is asked of it.
type judgedEngine struct {
	name         string
	config       string // lines of the configuration
	p50, p99     time.Duration
	writers      int     // each of which has one write that is not found yet
	rowsOfWriter int     // 1000 rows of all at most, which one answer can have
	rate         float64 // writes a second; 0: each writer pauses half a second
	eyes         []eyes
}

// eyes find the rows of the table note, each with the number of its last write.
type eyes struct {
	name string
	find func(*testing.T, *proc) map[string]int64
}

// harnessEngine returns the engine that ENGINE names. Of OpenSearch it is a real node, with
// 200 writes a second. Half of them are judged by a client of the cluster, which
// sees them after the cluster's refresh_interval of a second, and half by indexerd's own
// search.
func harnessEngine(t *testing.T) judgedEngine {
	t.Helper()
	daemon := eyes{"indexerd", func(t *testing.T, p *proc) map[string]int64 { return p.notes(t) }}
	switch name := cmp.Or(os.Getenv("ENGINE"), "embedded"); name {
	case "embedded":
		return judgedEngine{name: name, p50: time.Second, p99: 3 * time.Second, writers: 100, rowsOfWriter: 4, eyes: []eyes{daemon}}
	case "opensearch":
		url, prefix := nodetest.URL(t), "j"+strings.ToLower(rand.Text())+"-"
		return judgedEngine{
			name: name, config: fmt.Sprintf("index: {engine: opensearch, url: %q, prefix: %s, replicas: 0}\n", url, prefix),
			p50: 1500 * time.Millisecond, p99: 4 * time.Second, writers: 500, rowsOfWriter: 2, rate: 200,
			eyes: []eyes{{"a_client_of_the_cluster", func(t *testing.T, _ *proc) map[string]int64 { return notesIn(t, url+"/"+prefix+"note") }}, daemon},
		}
	default:
		t.Fatalf("ENGINE: got %q, want embedded or opensearch", name)
		return judgedEngine{}
	}
}

// notes asks indexerd.
func (p *proc) notes(t *testing.T) map[string]int64 {
	t.Helper()
	found := map[string]int64{}
	for _, hit := range p.search(t, "note", "", "size=1000").Hits {
		n, _ := hit.Fields.Get("n").(float64)
		found[hit.OID] = int64(n)
	}
	return found
}

// notesIn asks the cluster, without a refresh.
func notesIn(t *testing.T, index string) map[string]int64 {
	t.Helper()
	var answer struct {
		Hits struct {
			Hits []struct {
				ID     string            `json:"_id"`
				Source struct{ N int64 } `json:"_source"`
			}
		}
	}
	nodeAnswers(t, index, http.MethodPost, "/_search", map[string]any{"size": 1000, "_source": "n"}, &answer)
	found := map[string]int64{}
	for _, hit := range answer.Hits.Hits {
		key, err := base64.RawURLEncoding.DecodeString(hit.ID)
		if err != nil {
			t.Fatal(err)
		}
		found[doc.OID(key).String()] = hit.Source.N
	}
	return found
}

// begins returns what a writer waits for before a write. At a rate all writers share
// the moments at which one of them may begin.
func (e judgedEngine) begins(ctx context.Context) func(*mathrand.Rand) {
	if e.rate == 0 {
		return func(random *mathrand.Rand) { <-time.After(time.Duration(random.Int64N(int64(time.Second)))) }
	}
	moments := time.NewTicker(time.Duration(float64(time.Second) / e.rate))
	context.AfterFunc(ctx, moments.Stop)
	return func(*mathrand.Rand) {
		select {
		case <-moments.C:
		case <-ctx.Done():
		}
	}
}
