// Package base is the wing of what every other wing uses: the words of the
// product (doc: OID, Stamp, Doc, Page, Window), durable replacement of files,
// time, pace, schedules and printing. It may import the standard library and
// one library for each package, and no other wing. Every wing may import it.
package base
