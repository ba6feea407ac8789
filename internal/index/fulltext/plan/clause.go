package fulltext

import (
	"fmt"
	"unicode/utf8"
)

// clauseOf returns a plan for other engines.
func clauseOf(p plan) (c Clause, err error) {
	switch p := p.(type) {
	case matchAll:
		return Every{}, nil
	case boolPlan:
		must, err := clausesOf(p.must)
		if err != nil {
			return nil, err
		}
		not, err := clausesOf(p.not)
		return Both{must, not}, err
	case orPlan:
		all, err := clausesOf(p)
		return Any{all, 1}, err
	case somePlan:
		all, err := clausesOf(p.plans)
		return Any{all, p.atLeast}, err
	case unscored:
		c, err = clauseOf(p.plan)
		return Constant{c, 0}, err
	case scoredPlan:
		c, err = clauseOf(p.plan)
		return Constant{c, p.score}, err
	case optionalPlan:
		all, err := clausesOf(p)
		return Optional{all}, err
	case disMaxPlan:
		all, err := clausesOf(p.plans)
		return DisMax{all, p.tie}, err
	case boosted:
		c, err = clauseOf(p.plan)
		return Weighted{c, p.boost}, err
	case nestedPlan:
		return nil, errNested
	case reweightedPlan:
		return p.clauseOf()
	case visiblePlan:
		parts, err := clausesOf([]plan{unscored{p.visible}, p.plan})
		return Both{Must: parts}, err
	case termPlan:
		return Term{exported(p.field), p.term}, nil
	case synonymPlan:
		return p.clause(), nil
	case prefixPlan:
		return TermPrefix{exported(p.field), p.prefix, p.most}, nil
	case termsPlan:
		return p.clause, nil
	case similarPlan:
		return TermSimilar{exported(p.field), p.term, p.editDistance, utf8.RuneCountInString(p.same), p.most, p.noSwaps}, nil
	case hasPlan:
		return HasTerm{exported(p.field)}, nil
	case fuzzyPlan:
		return TermNear{exported(p.field), p.term, p.editDistance}, nil
	case rangePlan:
		return TermRange{exported(p.field), p.min, p.max}, nil
	case phrasePlan:
		return p.terms(), nil
	case keysPlan:
		return Keys{p}, nil
	}
	return nil, fmt.Errorf("query has an unknown part of type %T", p)
}

func clausesOf[P ~[]plan](plans P) ([]Clause, error) {
	all := make([]Clause, len(plans))
	for i, p := range plans {
		var err error
		if all[i], err = clauseOf(p); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// terms returns a phrase. Only its last slot may be a prefix.
func (p phrasePlan) terms() Terms {
	t := Terms{Field: exported(p.field), Slop: p.slop}
	for _, sl := range p.slots {
		t.Terms = append(t.Terms, sl.term)
		t.Open, t.Most = sl.prefix, sl.most
	}
	return t
}
