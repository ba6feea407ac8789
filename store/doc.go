// Package store is the FileMap: a hash table on disk that holds the page of
// every row under its OID. Ten million pages and any one of them in a
// microsecond, for highlights, for comparing stamps after a restart, for
// skipping rows that did not change, for building an index without the
// database.
//
// # Files
//
//	value<n>.dat  the log: key, stamp, checksums and content of every page put
//	              (record.go, segment.go). The truth
//	key.dat       the heads of the log's records, without the content (keylog.go)
//	address.idx   the hash slots, each the address of a record (address.go in
//	              memory, addressfile.go on disk)
//	zstd.dict     the dictionary of Compression Zstd (dict.go)
//	lock          who has the directory (lock.go)
//
// Only value<n>.dat must survive. key.dat may lag, address.idx may be old or
// missing: whatever they lack is read from the values. A Get looks into the
// slots, in memory, and reads one record; key.dat is off its path and serves
// lists and recovery, which read a tenth of what the values are.
//
// # Invariant
//
// What a reader has seen survives a crash. A record is published in its slot
// only after it is on disk; so the order of a batch is always: write, sync,
// publish, and then key.dat.
//
// # Crash safety
//
// Steps of a Put: encode the batch; write it behind the active segment's end;
// fdatasync; change the slots; append the heads to key.dat, unsynced.
//
// States a crash can leave:
//
//   - before the sync: behind the last durable batch lies nothing, or part of
//     the batch, its pages in any mixture. A record's batch field says where its
//     batch began, and a batch begins only after what lies before it is durable.
//     So damage is a torn tail if no later batch follows; from there on the log
//     is cut. The whole records before it stay: a torn batch is cut record by
//     record and not as a whole, since each page is true by itself and whoever
//     put the batch was not told that it is stored.
//   - after the sync: the batch is in the log. Opening applies it.
//   - a new segment without its header: it has no record and is removed.
//   - in a compaction: see compact.go.
//   - key.dat or address.idx older than the log: the rest is applied again,
//     which changes nothing that is applied already. They are void, and removed,
//     when they know more than the log: after more writing they would seem to
//     fit.
//
// Opening ends with a sync, because the process before may have died between
// writing and syncing.
//
// Damage that is no torn tail is reported by Check and by the error of Get, and
// never served. A page whose record is known to be damaged is absent to Meta, so
// its row is fetched again. If even the key is unreadable, the page's last
// version but one may take its place once the index is built anew: its v then
// differs from the index document's, which the sink and the sweep see.
//
// A full disk fails the Put in one line and loses nothing; the next one cuts
// off what was half written. A failed fsync ends all writing until the map is
// opened again: what is on disk is then unknown, and a second fsync may lie.
//
// Assumptions: what fsync returned for is on disk; rename is atomic and a synced
// directory keeps its entries; a file is written by one process (lock); a
// record whose two 32-bit checksums, bounds, place and number are right is one
// that was written.
//
// # Costs
//
// A page takes 96 bytes and its key beside its content, as much again in
// key.dat without the content, and 11 bytes of memory for each kept version. A
// Get waits for memory twice (slot, record), checks both checksums and copies
// the content; a View of mapped content that is not compressed allocates
// nothing, and holds up compactions and Close while it lasts. With the values in
// memory a View of a kilobyte takes a bit less than a microsecond, most of it
// waits for memory; Get half as much again and more, since the copy is to be
// allocated and collected, whoever makes it. A Put is one fsync for up to 32 MiB.
// Growth copies one of 4096 shards at a time. A batch that replaces pages reads
// the head of each old record. Compaction needs the room of the segment it
// writes and rewrites key.dat. Check reads everything and needs the index's
// memory twice.
//
// Limits: keys of 64 KiB, values of 256 MiB, 4095 value files of at most 1 GiB.
//
// Two choices that are not the obvious ones: a page's versions have a slot each
// and no record points at another, so that a compaction has no address on disk
// to correct; and a record is sealed with its place, so that a block written
// elsewhere is not taken for one.
package store
