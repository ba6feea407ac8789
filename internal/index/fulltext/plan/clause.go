package plan

import (
	"fmt"
	"unicode/utf8"

	"indexerd/internal/index/fulltext/compiled"
	"indexerd/internal/index/fulltext/schema"
)

// ClauseOf returns a plan for other engines.
func ClauseOf(p Plan) (c compiled.Clause, err error) {
	switch p := p.(type) {
	case matchAll:
		return compiled.Every{}, nil
	case boolPlan:
		must, err := ClausesOf(p.must)
		if err != nil {
			return nil, err
		}
		not, err := ClausesOf(p.not)
		return compiled.Both{Must: must, Not: not}, err
	case orPlan:
		all, err := ClausesOf(p)
		return compiled.Any{Clauses: all, AtLeast: 1}, err
	case somePlan:
		all, err := ClausesOf(p.plans)
		return compiled.Any{Clauses: all, AtLeast: p.atLeast}, err
	case unscored:
		c, err = ClauseOf(p.plan)
		return compiled.Constant{Clause: c, Score: 0}, err
	case scoredPlan:
		c, err = ClauseOf(p.plan)
		return compiled.Constant{Clause: c, Score: p.score}, err
	case optionalPlan:
		all, err := ClausesOf(p)
		return compiled.Optional{Clauses: all}, err
	case disMaxPlan:
		all, err := ClausesOf(p.plans)
		return compiled.DisMax{Clauses: all, Tie: p.tie}, err
	case boosted:
		c, err = ClauseOf(p.plan)
		return compiled.Weighted{Clause: c, Factor: p.boost}, err
	case nestedPlan:
		return nil, errNested
	case reweightedPlan:
		return p.clauseOf()
	case visiblePlan:
		parts, err := ClausesOf([]Plan{unscored{p.visible}, p.plan})
		return compiled.Both{Must: parts}, err
	case termPlan:
		return compiled.Term{Field: schema.Exported(p.field), Term: p.term}, nil
	case anyTermPlan:
		return compiled.AnyTerm{Field: schema.Exported(p.field), Terms: p.terms}, nil
	case synonymPlan:
		return p.clause(), nil
	case prefixPlan:
		return compiled.TermPrefix{Field: schema.Exported(p.field), Prefix: p.prefix, Most: p.most}, nil
	case termsPlan:
		return p.clause, nil
	case similarPlan:
		return compiled.TermSimilar{Field: schema.Exported(p.field), Term: p.Term, Edits: p.EditDistance, Prefix: utf8.RuneCountInString(p.Same), Most: p.most, NoSwaps: p.NoSwaps}, nil
	case hasPlan:
		return compiled.HasTerm{Field: schema.Exported(p.field)}, nil
	case fuzzyPlan:
		return compiled.TermNear{Field: schema.Exported(p.field), Term: p.term, Edits: p.editDistance}, nil
	case rangePlan:
		return compiled.TermRange{Field: schema.Exported(p.field), Min: p.Min, Max: p.Max}, nil
	case phrasePlan:
		return p.terms(), nil
	case keysPlan:
		return compiled.Keys{OIDs: p}, nil
	}
	return nil, fmt.Errorf("query has an unknown part of type %T", p)
}

// ClausesOf returns plans for other engines.
func ClausesOf[P ~[]Plan](plans P) ([]compiled.Clause, error) {
	all := make([]compiled.Clause, len(plans))
	for i, p := range plans {
		var err error
		if all[i], err = ClauseOf(p); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// terms returns a phrase. Only its last slot may be a prefix.
func (p phrasePlan) terms() compiled.Terms {
	t := compiled.Terms{Field: schema.Exported(p.field), Slop: p.slop}
	for _, sl := range p.slots {
		t.Terms = append(t.Terms, sl.Forms())
		t.Open, t.Most = sl.Prefix, sl.Most
	}
	return t
}
