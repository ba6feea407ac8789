// Package test is the wing of everything that only tests and make targets
// import: servers, fakes, conformance suites, faulty disks, the simulation and
// its mutants, benchmarks beside other systems, and archtest, which keeps the
// structure. It may import every package. No package of the product may import
// it, except in test files.
package test
