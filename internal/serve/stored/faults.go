package stored

import (
	"errors"
	"slices"

	"indexerd/internal/index/opensearch"
	"indexerd/internal/pages/pagetable"
	"indexerd/store"
)

// IsAnothers reports whether a daemon ended because another one has its index or its pages. It must
// not be started again: the two would take the index from each other for ever.
func IsAnothers(err error) bool {
	return isAny(err, opensearch.ErrFenced, opensearch.ErrOwner, pagetable.ErrFenced, pagetable.ErrOwner)
}

// IsReplaced reports whether index or pages are others than were opened, or belong to
// another daemon now.
func IsReplaced(err error) bool {
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

// IsForeign reports whether others have written to an index, which is in use nevertheless.
func IsForeign(err error) bool { return errors.Is(err, opensearch.ErrForeign) }

// IsClusters reports whether an error is to be repaired in the cluster, or in the store
// of pages.
func IsClusters(err error) bool {
	return IsAway(err) || isAny(err, opensearch.ErrReplaced, opensearch.ErrForbidden, opensearch.ErrNewer, pagetable.ErrReplaced)
}

// IsAway reports whether a cluster or a store did not answer.
func IsAway(err error) bool { return isAny(err, opensearch.ErrAway, pagetable.ErrAway) }

func isAny(err error, any ...error) bool {
	return slices.ContainsFunc(any, func(one error) bool { return errors.Is(err, one) })
}

// IsDamaged reports whether an error is that of a damaged page.
func IsDamaged(err error) bool {
	return IsGone(err) || errors.Is(err, store.ErrCorrupt) || errors.Is(err, pagetable.ErrCorrupt)
}

// IsGone reports whether an error is that of a page that does not exist.
func IsGone(err error) bool {
	return errors.Is(err, store.ErrNotFound) || errors.Is(err, pagetable.ErrNotFound)
}
