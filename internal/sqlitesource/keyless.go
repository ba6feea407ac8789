package sqlitesource

import (
	"context"
	"slices"
	"strings"

	"indexerd/internal/doc"
)

// maxKeyless bounds the reasons that Keyless gives.
const maxKeyless = 100

// Keyless rejects the rows whose key is no key: NULL, of another type than the
// table's, or text that is not UTF-8. Nothing tells such rows apart, so there
// is one reject for each reason. It reads every key; of a key of integers
// alone SQLite finds the bad ones itself.
func (t *Table) Keyless(ctx context.Context) (doc.Batch, error) {
	const doing = "look for rows without a key of "
	v, b, err := t.begin(ctx)
	if err != nil {
		return doc.Batch{}, t.source.fault(doing+t.name, err)
	}
	defer t.numbers.End(b.Fetch)
	defer v.end()
	var where condition
	if !slices.Contains(t.kinds, doc.Text) {
		var bad []string
		for _, name := range qualify(t.keyNames()) {
			bad = append(bad, "typeof("+name+") <> 'integer'")
		}
		where.and("(" + strings.Join(bad, " OR ") + ")")
	}
	t.live(&where)
	seen := map[string]bool{}
	err = each(ctx, v.tx, t.statements.keys+where.String(), where.args, len(t.key), func(raw []any) bool {
		if _, err := t.oid(raw); err != nil && !seen[err.Error()] {
			seen[err.Error()] = true
			b.Rejects = append(b.Rejects, doc.Reject{Reason: err.Error()})
		}
		return len(b.Rejects) < maxKeyless
	})
	if err != nil {
		return doc.Batch{}, t.source.fault(doing+t.name, err)
	}
	return b, nil
}
