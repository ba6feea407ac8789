package daemon

import (
	"errors"
	"indexerd/internal/index/opensearch"
	"indexerd/internal/pages/pagetable"
	"indexerd/store"
	"slices"
)

// IsAnothers reports whether a daemon ended because another one has its index or its pages. It must
// not be started again: the two would take the index from each other for ever.
func IsAnothers(err error) bool {
	return isAny(err, opensearch.ErrFenced, opensearch.ErrOwner, pagetable.ErrFenced, pagetable.ErrOwner)
}

// isReplaced reports whether index or pages are others than were opened, or belong to
// another daemon now.
func isReplaced(err error) bool {
	return isAny(err, opensearch.ErrReplaced, opensearch.ErrFenced, pagetable.ErrReplaced, pagetable.ErrFenced)
}

// doubtOf returns why the marks of a table claim too much after an error of its index or pages; ""
// if they do not.
func doubtOf(err error) string {
	for _, what := range []error{opensearch.ErrReplaced, opensearch.ErrForeign, opensearch.ErrNewer, pagetable.ErrReplaced} {
		if errors.Is(err, what) {
			return what.Error()
		}
	}
	return ""
}

// isForeign reports whether others have written to an index, which is in use nevertheless.
func isForeign(err error) bool { return errors.Is(err, opensearch.ErrForeign) }

// isClusters reports whether an error is to be repaired in the cluster, or in the store
// of pages.
func isClusters(err error) bool {
	return isAway(err) || isAny(err, opensearch.ErrReplaced, opensearch.ErrForbidden, opensearch.ErrNewer, pagetable.ErrReplaced)
}

// isAway reports whether a cluster or a store did not answer.
func isAway(err error) bool { return isAny(err, opensearch.ErrAway, pagetable.ErrAway) }

func isAny(err error, any ...error) bool {
	return slices.ContainsFunc(any, func(one error) bool { return errors.Is(err, one) })
}

// isDamaged reports whether an error is that of a damaged page.
func isDamaged(err error) bool {
	return isGone(err) || errors.Is(err, store.ErrCorrupt) || errors.Is(err, pagetable.ErrCorrupt)
}

// isGone reports whether an error is that of a page that does not exist.
func isGone(err error) bool {
	return errors.Is(err, store.ErrNotFound) || errors.Is(err, pagetable.ErrNotFound)
}
