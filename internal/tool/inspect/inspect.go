// Package inspect checks a configuration against its databases (indexerd check).
//
// A Check returns findings. Each has a code from the table in codes.go, from which
// docs/check.md is generated, and a remedy. A Check changes nothing. For each table
// it reads about a thousand rows two or three times, plans each query that the
// daemon will send, and sends about six queries that may read the whole table.
// Each of those is cancelled after 3 s, and the check of a table after 15 s.
//
// A Check is in check.go, with its findings in findings.go; the other files hold the
// checks that their names describe.
package inspect
