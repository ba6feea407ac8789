// Package apidiff proves the OpenSearch API against OpenSearch. Its test indexes the
// same documents in an embedded index that osapi serves and in a node, with the
// mapping that a user writes by hand. Then it sends random requests over the whole
// API to both and compares the answers: status, type of the error, total, hits, order,
// sort values, fields, highlights, aggregations and suggestions.
//
// Each request has the names of its features. The table accepted lists, by feature,
// the differences that are known, each with its reason. Any other difference fails
// the test. A request that the API refuses as not supported, and the node answers, is
// unsupported, unless accepted lists it.
package apidiff
