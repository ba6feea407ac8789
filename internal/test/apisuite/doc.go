// Package apisuite runs public tests of OpenSearch and Elasticsearch, which are not part
// of the project, against the OpenSearch API. APISUITE is their directory: the YAML REST
// tests, with the folders api and test, or tests/default of OpenSearch's API
// specification, whose chapters count as tests.
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
