// Package sqlsource reads the tables of an SQL database: rows with their children
// by key range and by key, stamps by window of updateTime, by key range and by key.
// It is the same for every database. What only a vendor knows is a Dialect in a
// package of its own.
//
// A user's SQL is never edited. It becomes a subquery, so that one SQL serves every
// query:
//
//	SELECT x.a, x.b, <token> FROM (<sql>
//	) x WHERE <condition on key or updateTime> AND <not marked deleted>
//
// Guarantees:
//   - Only SELECT and the dialect's statements that describe, plan, begin and end
//     reach the database. Every transaction is read-only, and every value is a
//     parameter.
//   - One page is one fetch: one snapshot for the main SQL, the children's SQL and
//     the deletion marks. FetchSeq and snapshot are taken in one step, so that a
//     higher number means a newer snapshot. Neither transaction nor connection
//     waits for the consumer of a page.
//   - A stamp is the same whether it is read with its document, by window, by range
//     or by key. What a token depends on beside the rows (SQL, key, columns,
//     session settings, server version) is hashed into its epoch.
//   - No row that is marked deleted is read as a row or stamp.
//   - A row that can't become a document is a doc.Reject, never an error, even if
//     the SQL itself fails for it. It keeps no other row from being read.
//   - A child row belongs to the row whose key has the same bytes, whatever the
//     database takes for equal.
//   - If an SQL returns other columns than when the table was described, the
//     statement fails with doc.ErrChangedResult before a row is used.
//
// Rows with the same key come in one batch. A stamp of theirs has an unknown token,
// so that each pass fetches them and the sink quarantines the key. If a window has a
// row with an unusable key, its stamps include one without an OID; the caller then
// asks Unusable for the reasons.
//
// Cost. A page of rows or stamps is a transaction with one statement, one more for
// each child and for the deletion marks. An idle window costs one transaction with
// a statement for the rows and for each child with an updateTime. With an index on
// the key, and one on updateTime and key, a page reads no more rows than it
// returns, plus two, and plus the keys that a column's order takes for equal to its
// first or last. Only the last two pages may read all that is left. A row for which
// the SQL fails costs two fetches per halving of its batch, and about 64 statements
// more if even its key can't be read. Memory is one page: a batch of at most 8 MiB
// of text with as much of children, or one row up to the table's limit; or as many
// stamps as the dialect's MaxKeys, 10,000 on most.
package sqlsource
