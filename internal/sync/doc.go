// Package sync is the wing of synchronization: passes decides which pass runs
// when, refetch and sink write what a pass finds, and tierplan computes what a
// plan of tiers costs. The four passes are top-level packages. It may import
// base, configs, state and source/changes. Only serve and cmd may import it.
package sync
