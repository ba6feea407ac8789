package opensearch

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"indexerd/internal/index/query"
)

// Both engines collapse alike, whatever the number of shards.
func TestCollapseDifferential(t *testing.T) {
	d := newDifferential(t, "standard", rand.New(rand.NewPCG(uint64(number(t, "INDEXERD_SEED", 1)), 98)))
	n, several := number(t, "INDEXERD_QUERIES", 400)/8, 0
	for range n {
		req := query.Request{
			Query: pick(d, []query.Node{query.All{}, query.Word{Text: pick(d, vocabulary)}, d.between()}), Size: 1 + d.IntN(9), From: d.IntN(3), Collapse: pick(d, []string{"year", "year", "tags"}),
			Sort: []query.Sort{{Field: pick(d, []string{"seen", "free", "year"}), Descending: d.IntN(2) == 0}, {Field: "seen"}},
		}
		if d.IntN(3) == 0 {
			req.Visible, req.Query = &query.Visible{Hidden: "tags", Filters: []query.Filter{{Field: "tags", Values: tags[:d.IntN(4)]}}}, query.Word{Text: pick(d, vocabulary)}
			req.Collapse = "year"
		}
		want, wantErr := d.embedded.Search(t.Context(), req)
		got, err := patient(d.cluster.Search)(t.Context(), req)
		if fault, wantFault := faultOf(err), faultOf(wantErr); fault != wantFault {
			t.Errorf("%v %+v: got error %v, want %v", req.Query, req, err, wantErr)
		}
		if err != nil || wantErr != nil {
			several++
			continue
		}
		for _, res := range []*query.Result{&got, &want} {
			res.Next = ""
			for i := range res.Hits {
				res.Hits[i].After = ""
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v %+v: got\n%+v, want\n%+v", req.Query, req, got, want)
		}
	}
	if several == 0 || several == n {
		t.Errorf("%d of %d searches collapsed by a field with several values", several, n)
	}
	behind := query.Request{Collapse: "year", Sort: []query.Sort{{Field: "year"}}, Size: 1, Behind: &query.Place{Values: []query.Key{{Type: "number", Text: "1"}}}}
	if _, err := d.cluster.Search(t.Context(), behind); err == nil {
		t.Error("the hits after others are collapsed, and the cluster can't do that")
	}
}

// faultOf returns the text of the fault of a request.
func faultOf(err error) string {
	if fault := (*query.Error)(nil); errors.As(err, &fault) {
		return fault.Message
	}
	return fmt.Sprint(err)
}
