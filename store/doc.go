// Package store is the FileMap, a hash table on disk that holds the page of every row
// under the row's OID. It keeps ten million pages and reads any one of them in
// microseconds: to highlight a hit, to compare stamps after a restart, to skip rows that
// did not change, and to build an index without the database.
//
// # Files
//
//	value<n>.dat  the log: key, stamp, checksums and content of every page
//	              (record.go, segment.go). The source of truth
//	key.dat       the headers and keys of the log's records (keylog.go)
//	address.idx   the hash slots, each with the address of a record
//	              (address.go in memory, addressfile.go on disk)
//	zstd.dict     the dictionary of Compression Zstd (compress.go)
//	lock          locked by the process that has the map open (lock.go)
//
// Only value<n>.dat must survive. key.dat may lag behind and address.idx may be old or
// missing: Open reads from the values what they lack. Get looks into the slots, which are
// in memory, and reads one record. All and Open read key.dat, a tenth of what the values
// are.
//
// # Guarantee
//
// What a reader has seen survives a crash: a record appears in its slot only when it is
// on disk. Every batch is written, synced, published in the slots and then added to
// key.dat, in this order.
//
// # Crash safety
//
// Steps of Put: encode the batch; write it behind the end of the active segment;
// fdatasync; change the slots; append the headers to key.dat without a sync.
//
// States that a crash leaves:
//
//   - Before the sync: behind the last durable batch lies nothing, or any part of the new
//     batch. Each record stores where its batch begins, and a batch begins only after
//     everything before it is durable. So damage is a torn tail if no later batch follows
//     it, and Open cuts the log there. Open keeps the whole records of the torn batch that
//     lie before the damage: each page is right by itself, and Put has not returned.
//   - After the sync: the batch is in the log, and Open applies it.
//   - A new segment without its header: it has no record, and Open removes it.
//   - During a compaction: see compact.go.
//   - key.dat or address.idx older than the log: Open applies the rest of the log. Applying
//     a record twice changes nothing. Open discards those that cover more than the log
//     has, because they would seem to match after more writing.
//
// Open ends with syncs, because the process before may have ended between a write and its
// sync. It leaves them out if address.idx, which is written later, covers the log.
//
// Get returns an error for damage that is no torn tail, and never the damaged page. Meta
// reports a page whose record is known to be damaged as absent, so that the row is
// fetched again. If even the key is unreadable, a rebuilt index may hold the previous
// version of the page: its V then differs from the V in the index document, which the
// sink and the sweep notice.
//
// Scrub reads all files with their checksums, marks damaged pages as absent, and writes
// the other files again. On a full disk Put fails, and loses nothing; the next Put cuts
// off what was partly written. After a failed fsync the map rejects all writes until it
// is opened again: what is on disk is unknown, and a second fsync may report success
// wrongly.
//
// Assumptions: what was synced is on disk; a rename is atomic, and a synced directory
// keeps its entries; one process writes a file (lock.go); a record whose two 32-bit
// checksums, bounds, place and number are right is one that was written.
//
// # Costs
//
// A page takes 96 bytes and its key beside its content, the same again without the
// content in key.dat, and 11 bytes of memory for each kept version. Get and View read one
// record, check both checksums and decompress the content; View allocates nothing, but
// delays compactions and Close while it runs. Put costs one fsync for each 32 MiB, and
// reads the header of each record that it replaces. The index grows by copying one of its
// 4096 shards. A compaction needs disk space for the segment that it writes, and rewrites
// key.dat. Limits: keys of 64 KiB, values of 256 MiB, 4095 value files of at most 1 GiB.
//
// Two decisions: every version of a page has its own slot and no record points at another
// one, so a compaction has no address on disk to correct; and the checksum of a record
// covers its place, so a block written to a wrong place is not taken for a record.
package store
