package opensearch

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/cenkalti/backoff/v5"

	"indexerd/internal/base/doc"
)

// maxBulk is the size of one request. The cluster refuses 100 MB, or less if it is
// configured so; an answer 413 halves the request.
const maxBulk = 5 << 20

// An item is one write.
type item struct {
	oid    doc.OID
	v      doc.Version
	delete bool
	lines  []byte // of the request
}

// Key returns the OID.
func (it item) Key() doc.OID { return it.oid }

// blocked is the type of the error, with status 403 or 429, of an index that is
// read-only: by hand, or because the disk is full.
const blocked = "cluster_block_exception"

// closed is that of an index that is closed, with status 400.
const closed = "index_closed_exception"

// An outcome is what became of an item.
type outcome int

const (
	done outcome = iota
	refused
	busy    // the cluster did not take it now
	unknown // it may be written
	newer   // the index has a higher version, of the document or of its removal
	fenced
	forbidden
)

// Apply writes and deletes documents, and returns when all of them are durable. After
// an error any part may have been written. An OID must not be in both lists.
func (ix *Index) Apply(puts []doc.Doc, deletes []doc.Removal) error {
	if err := ix.Err(); err != nil {
		return err
	}
	items, err := ix.items(puts, deletes)
	if err != nil {
		return err
	}
	var refusals []error
	for len(items) > 0 {
		n := chunk(items)
		rejected, err := ix.write(items[:n])
		if err != nil {
			return err
		}
		refusals, items = append(refusals, rejected...), items[n:]
	}
	return errors.Join(refusals...)
}

// items returns the writes. Of several puts of one key the last one is written.
func (ix *Index) items(puts []doc.Doc, deletes []doc.Removal) ([]item, error) {
	var items []item
	last := map[doc.OID]int{}
	for i, d := range puts {
		last[d.OID] = i
	}
	for i, d := range puts {
		if last[d.OID] != i {
			continue
		}
		it, err := ix.put(d)
		if err != nil {
			return nil, fmt.Errorf("document %s: %w", d.OID, err)
		}
		items = append(items, it)
	}
	for _, r := range deletes {
		items = append(items, item{oid: r.OID, v: r.V, delete: true, lines: action("delete", r.OID, r.V)})
	}
	return items, nil
}

func (ix *Index) put(d doc.Doc) (item, error) {
	fields, err := ix.source(d)
	if err != nil {
		return item{}, err
	}
	if len(id(d.OID)) > 512 {
		return item{}, errors.New("the key is longer than the 384 bytes that OpenSearch can have in an _id")
	}
	lines, err := appendJSON(action("index", d.OID, d.V), fields)
	if err != nil {
		return item{}, err
	}
	return item{oid: d.OID, v: d.V, lines: append(lines, '\n')}, nil
}

func action(verb string, oid doc.OID, v doc.Version) []byte {
	return fmt.Appendf(nil, `{%q:{"_id":%q,"version":%d,"version_type":"external_gte"}}`+"\n", verb, id(oid), v)
}

// chunk returns how many items fit into a request, at least one.
func chunk(items []item) int {
	size := 0
	for i, it := range items {
		if size += len(it.lines); size > maxBulk && i > 0 {
			return i
		}
	}
	return len(items)
}

// write sends items until each of them is done or refused. It gives up after the
// patience of the index, and then the index has failed: no document is to blame.
func (ix *Index) write(items []item) (refusals []error, err error) {
	attempt := func() (struct{}, error) {
		rejected, left, err := ix.settle(items)
		refusals, items = append(refusals, rejected...), left
		return struct{}{}, err
	}
	_, err = backoff.Retry(ix.ctx, attempt, backoff.WithBackOff(backoff.NewExponentialBackOff()), backoff.WithMaxElapsedTime(ix.patience))
	if err != nil {
		return nil, ix.fail(fmt.Errorf("write %d documents: %w", len(items), err))
	}
	return refusals, nil
}

// settle sends items once. It returns those to send again, with an error if there are
// any.
func (ix *Index) settle(items []item) (refusals []error, left []item, err error) {
	outcomes, kinds, err := ix.bulk(items)
	ix.stale.Store(true)
	if err != nil {
		return nil, items, err
	}
	var look, conflicts []item // their versions decide
	for i, it := range items {
		switch outcomes[i] {
		case refused:
			refusals = append(refusals, fmt.Errorf("document %s: OpenSearch refuses it: %s", it.oid, kinds[i]))
		case busy:
			left, err = append(left, it), fmt.Errorf("the cluster is busy: %s", kinds[i])
		case newer:
			conflicts = append(conflicts, it)
		case unknown:
			look = append(look, it)
		case forbidden:
			return refusals, items, backoff.Permanent(ErrForbidden)
		case fenced:
			_, why := ix.same(ix.ctx)
			if errors.Is(why, ErrReplaced) || errors.Is(why, ErrFenced) {
				return refusals, items, backoff.Permanent(why)
			}
			left, err = append(left, it), cmp.Or(why, errors.New("the write alias was missing"))
		}
	}
	absent, lookErr := ix.absent(look)
	if lookErr == nil {
		lookErr = ix.decide(conflicts)
	}
	if lookErr != nil {
		return refusals, slices.Concat(left, look, conflicts), lookErr
	}
	if left = append(left, absent...); len(left) > 0 && err == nil {
		err = fmt.Errorf("the outcome of %d writes is unknown", len(absent))
	}
	return refusals, left, err
}

// absent reads items back, and returns those that are not written. A removal is sent
// again even if the document is not there: an older put may still arrive, and only
// the removal's version refuses it.
func (ix *Index) absent(items []item) (left []item, err error) {
	versions, err := ix.Versions(doc.OIDs(items))
	if err != nil {
		return nil, err
	}
	for i, it := range items {
		switch v := versions[i]; {
		case v > it.v:
			return nil, it.outdated()
		case it.delete, v < it.v:
			left = append(left, it)
		}
	}
	return left, nil
}

// decide reads back items that conflicted. A write that the index has already, and a
// removal of what is not there, are done. All others are older than the index.
func (ix *Index) decide(items []item) error {
	versions, err := ix.Versions(doc.OIDs(items))
	if err != nil {
		return err
	}
	for i, it := range items {
		if done := it.delete && versions[i] == 0 || !it.delete && versions[i] == it.v; !done {
			return it.outdated()
		}
	}
	return nil
}

// outdated is the error of an item that is older than what the index has.
func (it item) outdated() error {
	return backoff.Permanent(fmt.Errorf("document %s: %w", it.oid, ErrNewer))
}

// bulk sends one request and classifies the answer of each item. It returns an error
// that is permanent if the whole request is refused, and sends halves of a request
// that is too large. A document that is too large alone is refused.
func (ix *Index) bulk(items []item) ([]outcome, []string, error) {
	lines := make([][]byte, len(items))
	for i, it := range items {
		lines[i] = it.lines
	}
	body := slices.Concat(lines...)
	var answer struct {
		Items []map[string]result `json:"items"`
	}
	ix.tally.begins(len(items))
	err := ix.wire.send(ix.ctx, http.MethodPost, "/"+ix.alias+"/_bulk?require_alias=true&timeout=20s", "application/x-ndjson", body, &answer)
	var results []result
	for _, of := range answer.Items {
		for _, r := range of {
			results = append(results, r)
		}
	}
	ix.tally.ends(len(items), results)
	var status *statusError
	switch {
	case errors.As(err, &status) && status.status == http.StatusRequestEntityTooLarge && len(items) > 1:
		return ix.halves(items)
	case errors.As(err, &status) && status.status == http.StatusRequestEntityTooLarge:
		return []outcome{refused}, []string{"larger than http.max_content_length"}, nil
	case errors.As(err, &status) && (status.status == http.StatusTooManyRequests || errors.Is(status, ErrAway)):
		return nil, nil, err
	case errors.As(err, &status) && status.status == http.StatusForbidden:
		return nil, nil, backoff.Permanent(ErrForbidden)
	case errors.As(err, &status) && status.status/100 != 5:
		return nil, nil, backoff.Permanent(err)
	}
	outcomes, kinds := make([]outcome, len(items)), make([]string, len(items))
	for i, it := range items {
		outcomes[i] = unknown
		if err == nil && i < len(answer.Items) {
			outcomes[i], kinds[i] = it.outcome(answer.Items[i])
		}
	}
	return outcomes, kinds, nil
}

func (ix *Index) halves(items []item) ([]outcome, []string, error) {
	first, firstKinds, err := ix.bulk(items[:len(items)/2])
	if err != nil {
		return nil, nil, err
	}
	second, secondKinds, err := ix.bulk(items[len(items)/2:])
	return slices.Concat(first, second), slices.Concat(firstKinds, secondKinds), err
}

// A result is the cluster's answer for one item.
type result struct {
	ID     string          `json:"_id"`
	Status int             `json:"status"`
	Result string          `json:"result"`
	Error  json.RawMessage `json:"error"`
	SeqNo  *int64          `json:"_seq_no"` // of the operation; nil: none that is known
	Term   int64           `json:"_primary_term"`
}

// isNoOperation reports whether the shard has refused the write before it was one of its
// operations.
func (r result) isNoOperation() bool {
	switch r.Status {
	case http.StatusConflict, http.StatusTooManyRequests, http.StatusForbidden:
		return true
	case http.StatusNotFound:
		return r.Error != nil
	}
	return false
}

// outcome classifies the answer, which is unknown if it is for another item.
func (it item) outcome(answer map[string]result) (outcome, string) {
	verb := "index"
	if it.delete {
		verb = "delete"
	}
	r, ok := answer[verb]
	if !ok || r.ID != id(it.oid) {
		return unknown, ""
	}
	kind := kindOf(r.Error)
	switch {
	case r.Status/100 == 2, it.delete && r.Status == http.StatusNotFound && r.Result == "not_found":
		return done, ""
	case r.Status == http.StatusConflict:
		return newer, kind
	case r.Status == http.StatusNotFound:
		return fenced, kind
	case r.Status == http.StatusTooManyRequests, r.Status == http.StatusServiceUnavailable, kind == blocked,
		bytes.Contains(r.Error, []byte(closed)):
		return busy, fmt.Sprintf("status %d %s", r.Status, kind)
	case r.Status == http.StatusForbidden:
		return forbidden, kind
	case r.Status/100 == 4:
		return refused, kind
	default:
		return unknown, kind
	}
}
