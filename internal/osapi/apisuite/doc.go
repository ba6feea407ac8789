// Package apisuite runs YAML REST tests of OpenSearch or Elasticsearch, which are not
// part of the project, against the OpenSearch API. DIR, the directory that has their
// folders api and test, is in APISUITE.
//
// The documents that a test writes become a table of the embedded index. Its reading
// steps are sent to osapi, and its assertions are evaluated. If a node is there, a
// test counts only if the node passes it.
//
// A test that asserts something about its writes, or that needs what tables do not
// have, is not reading. A test that the API refuses by name is unsupported. Neither
// counts as passed. Three things are not compared: texts of errors, the version of a
// document, and fields that are null, since a row has all columns of its table.
package apisuite
