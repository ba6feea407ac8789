package fakeworld

import "indexerd/internal/doc"

// Counts are what a Report counts, to be compared.
type Counts struct {
	Read, Compared, Added, Updated, Deleted, Skipped, Quarantined int
}

// CountsOf returns the counts of a report.
func CountsOf(r doc.Report) Counts {
	return Counts{r.Read, r.Compared, r.Added, r.Updated, r.Deleted, r.Skipped, r.Quarantined}
}
