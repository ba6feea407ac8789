package proposal

import (
	"fmt"
	"slices"

	"indexerd/internal/base/doc"
	"indexerd/internal/index/title"
)

// namingBoost is the weight of columns that name a row: the most that the tuned order
// gives a column for being short. With it the order of Cranfield, CISI and CACM is as good
// as without boosts, and a name also counts more than other short columns.
const namingBoost = 3

// findTitle chooses the title of the table's hits: the columns of its content that name a row.
func (p *proposal) findTitle() {
	if p.textless {
		return
	}
	var columns []string
	named := nameOf(p.table)
	for _, c := range p.columns {
		names := slices.ContainsFunc(named, func(n doc.CatalogColumn) bool { return n.Name == c.Name })
		if names && c.Kind == doc.TextColumn && slices.ContainsFunc(p.content, func(s selected) bool { return s.as == c.as }) {
			columns = append(columns, c.as)
		}
	}
	if p.title = title.Default(columns); p.title.Columns() == nil && len(columns) > 0 {
		p.title = title.Column(columns[0])
	}
}

// boosts returns the weights of the columns of the title, as YAML; "" if no other text is
// searched.
func (p *proposal) boosts() string {
	named := p.title.Columns()
	if len(named) == 0 || len(named) == len(p.content) && len(p.children) == 0 {
		return ""
	}
	return ", boosts: {" + list(named, func(c string) string { return fmt.Sprintf("%s: %d", plain(c), namingBoost) }) + "}"
}
