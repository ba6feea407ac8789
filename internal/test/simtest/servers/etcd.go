package servers

import (
	"bytes"
	"maps"
	"slices"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
)

// A KeyValues is an etcd: keys with values and revisions, leases that expire, and
// transactions.
type KeyValues struct {
	// Wrote is called after each transaction that has changed keys, with those that it
	// has written and the process that sent it; "" for a lease that ended.
	Wrote func(by string, keys []string)
	// Read is called with each key, or first key of a range, that a process reads.
	Read func(by, key string)

	revision int64
	keys     map[string]*mvccpb.KeyValue
	leases   map[int64]*lease
	last     int64 // lease
	watches  map[*watch]bool
}

// A lease ends at a time of the server's clock.
type lease struct {
	ttl   int64         // seconds
	lives time.Duration // ttl by the server's clock, which drifts from that of the holder
	until time.Time
}

// NewKeyValues returns an empty etcd.
func NewKeyValues() *KeyValues {
	return &KeyValues{keys: map[string]*mvccpb.KeyValue{}, leases: map[int64]*lease{}, watches: map[*watch]bool{}, Wrote: func(string, []string) {}, Read: func(string, string) {}}
}

// Value returns the value of a key; nil: there is none.
func (s *KeyValues) Value(key string) []byte {
	if kv := s.keys[key]; kv != nil {
		return kv.Value
	}
	return nil
}

// Under returns the values with a prefix by the rest of their keys.
func (s *KeyValues) Under(prefix string) map[string][]byte {
	found := map[string][]byte{}
	for key, kv := range s.keys {
		if rest, ok := bytes.CutPrefix([]byte(key), []byte(prefix)); ok {
			found[string(rest)] = kv.Value
		}
	}
	return found
}

// expire ends the leases whose time is over. It precedes each request.
func (s *KeyValues) expire() {
	for _, id := range slices.Sorted(maps.Keys(s.leases)) {
		if !time.Now().Before(s.leases[id].until) {
			s.revoke(id)
		}
	}
}

// Expire ends the leases whose time is over, and wakes those who watch their keys.
func (s *KeyValues) Expire() { s.expire() }

// revoke ends a lease, with its keys.
func (s *KeyValues) revoke(id int64) {
	delete(s.leases, id)
	var gone []string
	for key, kv := range s.keys {
		if kv.Lease == id {
			gone = append(gone, key)
		}
	}
	if len(gone) == 0 {
		return
	}
	s.revision++
	for _, key := range gone {
		delete(s.keys, key)
	}
	s.changed("", gone)
}

func (s *KeyValues) changed(by string, keys []string) {
	slices.Sort(keys)
	s.Wrote(by, keys)
	for w := range s.watches {
		w.note(keys, s.keys)
	}
}

func (s *KeyValues) header() *pb.ResponseHeader { return &pb.ResponseHeader{Revision: s.revision} }

// rangeOf answers a Range. It has the present state only.
func (s *KeyValues) rangeOf(r *pb.RangeRequest) (*pb.RangeResponse, error) {
	if r.Revision != 0 && r.Revision != s.revision {
		return nil, rpctypes.ErrCompacted
	}
	answer := &pb.RangeResponse{Header: s.header()}
	for _, key := range slices.Sorted(maps.Keys(s.keys)) {
		if !within(key, r.Key, r.RangeEnd) {
			continue
		}
		if r.Limit > 0 && int64(len(answer.Kvs)) == r.Limit {
			answer.More = true
			break
		}
		kv := s.keys[key]
		answer.Kvs = append(answer.Kvs, &mvccpb.KeyValue{
			Key: []byte(key), Value: bytes.Clone(kv.Value), CreateRevision: kv.CreateRevision, ModRevision: kv.ModRevision, Version: kv.Version, Lease: kv.Lease,
		})
	}
	answer.Count = int64(len(answer.Kvs))
	return answer, nil
}

func within(key string, from, to []byte) bool {
	if len(to) == 0 {
		return key == string(from)
	}
	return key >= string(from) && (key < string(to) || string(to) == "\x00")
}

// put writes a key at the revision of the present request.
func (s *KeyValues) put(p *pb.PutRequest) error {
	if p.Lease != 0 && s.leases[p.Lease] == nil {
		return rpctypes.ErrLeaseNotFound
	}
	kv := &mvccpb.KeyValue{Key: p.Key, Value: bytes.Clone(p.Value), CreateRevision: s.revision, ModRevision: s.revision, Version: 1, Lease: p.Lease}
	if was := s.keys[string(p.Key)]; was != nil {
		kv.CreateRevision, kv.Version = was.CreateRevision, was.Version+1
	}
	s.keys[string(p.Key)] = kv
	return nil
}

// holds reports whether a condition of a transaction holds.
func (s *KeyValues) holds(c *pb.Compare) bool {
	kv := s.keys[string(c.Key)]
	if kv == nil {
		kv = &mvccpb.KeyValue{}
	}
	var order int
	switch c.Target {
	case pb.Compare_CREATE:
		order = int(kv.CreateRevision - c.GetCreateRevision())
	case pb.Compare_MOD:
		order = int(kv.ModRevision - c.GetModRevision())
	case pb.Compare_VERSION:
		order = int(kv.Version - c.GetVersion())
	case pb.Compare_VALUE:
		if s.keys[string(c.Key)] == nil {
			return false // as etcd does
		}
		order = bytes.Compare(kv.Value, c.GetValue())
	default:
		panic("servers: a comparison of leases")
	}
	switch c.Result {
	case pb.Compare_EQUAL:
		return order == 0
	case pb.Compare_GREATER:
		return order > 0
	case pb.Compare_LESS:
		return order < 0
	}
	return order != 0
}

// txn makes a transaction.
func (s *KeyValues) txn(by string, r *pb.TxnRequest) (*pb.TxnResponse, error) {
	answer := &pb.TxnResponse{Succeeded: true}
	for _, c := range r.Compare {
		answer.Succeeded = answer.Succeeded && s.holds(c)
	}
	ops := r.Failure
	if answer.Succeeded {
		ops = r.Success
	}
	written, before := []string{}, s.revision
	s.revision++
	for _, op := range ops {
		one, key, err := s.op(op)
		if err != nil {
			s.revision = before // only a lease that is gone fails, and the first Put has it
			return nil, err
		}
		if key != "" {
			written = append(written, key)
		}
		answer.Responses = append(answer.Responses, one)
	}
	if len(written) == 0 {
		s.revision = before
	}
	answer.Header = s.header()
	if len(written) > 0 {
		s.changed(by, written)
	}
	return answer, nil
}

// op makes one operation of a transaction. It returns the key that it has written.
func (s *KeyValues) op(op *pb.RequestOp) (*pb.ResponseOp, string, error) {
	switch {
	case op.GetRequestPut() != nil:
		p := op.GetRequestPut()
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponsePut{ResponsePut: &pb.PutResponse{}}}, string(p.Key), s.put(p)
	case op.GetRequestDeleteRange() != nil:
		d := op.GetRequestDeleteRange()
		delete(s.keys, string(d.Key))
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponseDeleteRange{ResponseDeleteRange: &pb.DeleteRangeResponse{}}}, string(d.Key), nil
	}
	found, err := s.rangeOf(op.GetRequestRange())
	return &pb.ResponseOp{Response: &pb.ResponseOp_ResponseRange{ResponseRange: found}}, "", err
}

// A watch is notified that keys have changed, not which ones.
type watch struct {
	from, to []byte
	removals bool // only
	changed  func()
}

// note notifies the watch if it is for one of these keys. now has all keys.
func (w *watch) note(keys []string, now map[string]*mvccpb.KeyValue) {
	for _, key := range keys {
		if within(key, w.from, w.to) && !(w.removals && now[key] != nil) {
			w.changed()
			return
		}
	}
}

// follow begins a watch. after is the first revision of interest, 0 for the next one: the
// server has no history, so it counts as a change that there were others since.
func (s *KeyValues) follow(w *watch, after int64) {
	s.watches[w] = true
	if after != 0 && s.revision >= after {
		w.changed()
	}
}
