package plan

import (
	"indexerd/internal/index/fulltext/segment"
	"indexerd/internal/index/query"
)

type (
	// A scoredPlan matches as its plan does, with this score for each match.
	scoredPlan struct {
		plan  Plan
		score float64
	}

	// An optionalPlan matches all documents. Its score is the sum of those of the
	// plans that match.
	optionalPlan []Plan

	// A disMaxPlan matches documents that any of its plans matches. Its score is the
	// best of those of the plans that match, and tie times the others.
	disMaxPlan struct {
		plans orPlan
		tie   float64
	}
)

// scored compiles the nodes that combine scores. It reports false for others.
func (c compiler) scored(n query.Node) (p Plan, ok bool, err error) {
	switch n := n.(type) {
	case query.AtLeast:
		p, err = c.atLeast(n)
	case query.Optional:
		var parts Plan
		if parts, err = c.or(n.Nodes); err == nil && parts != nil {
			p = optionalPlan(parts.(orPlan))
		}
	case query.DisMax:
		var parts Plan
		if parts, err = c.or(n.Nodes); err == nil && parts != nil {
			p = disMaxPlan{parts.(orPlan), n.Tie}
		}
	case query.Boosted:
		c.shared = nil
		if p, err = c.compile(n.Node); err == nil && p != nil {
			p = boosted{p, n.Factor}
		}
	case query.Constant:
		if p, err = c.compile(n.Node); err == nil && p != nil {
			p = scoredPlan{p, n.Score}
		}
	case query.Searched:
		if p, err = c.compile(n.Node); err == nil && p == nil {
			p, err = c.compile(n.Else)
		}
	case query.Reweighted:
		p, err = c.reweighted(n)
	case query.Nested:
		if p, err = c.compile(n.Candidates()); err == nil {
			p = nestedPlan{}
		}
	default:
		return nil, false, nil
	}
	return p, true, err
}

// atLeast matches so many of the nodes that are searched at all. One alone must match.
func (c compiler) atLeast(n query.AtLeast) (Plan, error) {
	parts, err := c.or(n.Nodes)
	if err != nil || parts == nil {
		return nil, err
	}
	plans := parts.(orPlan)
	if len(plans) == 1 {
		return plans[0], nil
	}
	least := max(1, n.Least.Of(len(plans)))
	if least > len(plans) {
		return orPlan{}, nil
	}
	return somePlan{plans, least}, nil
}

// A nestedPlan is a query.Nested whose fields are checked. No index answers it.
type nestedPlan struct{}

func (nestedPlan) Open(*Session) (Matcher, error) { return nil, errNested }

var errNested = query.Errorf("use it in the query itself", "nested is not supported there")

// A scoredMatcher is scored for documents that all match.
type scoredMatcher struct {
	Matcher
	points float64
}

func (p scoredPlan) Open(s *Session) (Matcher, error) {
	m, err := p.plan.Open(s)
	return scoredMatcher{m, p.score * s.rank.boost}, err
}

func (m scoredMatcher) Score(_ *Part, to *Scores) error {
	to.Constant += m.points
	return nil
}

// An optionalMatcher scores as its parts do.
type optionalMatcher struct{ orMatcher }

func (p optionalPlan) Open(s *Session) (Matcher, error) {
	parts, err := openAll(s, p)
	return optionalMatcher{orMatcher{parts, 1}}, err
}

// Match has the parts find their matches, which they need for their scores.
func (m optionalMatcher) Match(p *Part, among segment.Bits) (segment.Bits, error) {
	for _, part := range m.parts {
		if needsSeveral(part) {
			continue // asked again for its score
		}
		if _, err := part.Match(p, among); err != nil {
			return nil, err
		}
	}
	return p.CopyOf(among), nil
}

type disMaxMatcher struct {
	orMatcher
	tie float64
}

func (p disMaxPlan) Open(s *Session) (Matcher, error) {
	parts, err := openAll(s, p.plans)
	return disMaxMatcher{orMatcher{parts, 1}, p.tie}, err
}

// Score keeps the best score of each document, and the sum of all.
func (m disMaxMatcher) Score(p *Part, to *Scores) error {
	to.Open()
	best := disMax{to: to, tie: m.tie, best: make([]float64, len(to.Sums)), sum: make([]float64, len(to.Sums))}
	if to.explained != nil {
		best.parts, best.others = make([][]query.ScorePart, len(to.Sums)), make([][]query.ScorePart, len(to.Sums))
	}
	for _, part := range m.parts {
		own, err := ownScores(p, part, to)
		if err != nil {
			return err
		}
		best.add(own)
	}
	best.finish()
	return nil
}

// ownScores returns the scores of one part, of those documents that it matches.
func ownScores(p *Part, part Matcher, to *Scores) (*Scores, error) {
	docs := to.Docs
	if needsSeveral(part) {
		var err error
		if docs, err = part.Match(p, docs); err != nil {
			return nil, err
		}
	}
	own := NewScores(docs)
	own.explained = to.explained
	return own, part.Score(p, own)
}

// A disMax collects the scores of parts.
type disMax struct {
	to            *Scores
	tie           float64
	best, sum     []float64
	parts, others [][]query.ScorePart // of the best, and of the others; nil: not needed
}

func (d *disMax) add(own *Scores) {
	i := 0
	for doc := range own.Docs.All {
		at, _ := d.to.Place(doc)
		score := own.Constant
		if own.Sums != nil {
			score += own.Sums[i]
		}
		better := score > d.best[at]
		if d.sum[at] += score; better {
			d.best[at] = score
		}
		if d.parts != nil && score > 0 {
			parts := own.PartsAt(i)
			if better {
				parts, d.parts[at] = d.parts[at], parts
			}
			d.others[at] = append(d.others[at], parts...)
		}
		i++
	}
}

func (d *disMax) finish() {
	for at, best := range d.best {
		d.to.Sums[at] += best + d.tie*(d.sum[at]-best)
		if d.parts == nil {
			continue
		}
		d.to.parts[at] = append(d.to.parts[at], d.parts[at]...)
		for _, part := range d.others[at] {
			if part.Score *= d.tie; part.Score > 0 {
				d.to.parts[at] = append(d.to.parts[at], part)
			}
		}
	}
}
