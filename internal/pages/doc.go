// Package pages is the wing of stored documents outside the embedded FileMap,
// which is the top-level package store: pages in a table of the BigTable model,
// on Bigtable and HBase, and the move of pages between stores. It may import
// base and store. The wings state and serve may import it.
package pages
