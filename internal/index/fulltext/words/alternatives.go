package words

import (
	"slices"

	"indexerd/internal/index/analysis"
)

// With an analyzer of version Latest the text of a word may be written in several ways. Each
// is a phrase: wi-fi is "wi fi" or wifi, iPhone15 is iphone15 or "iphone 15". Text with a
// sign of its own, such as c++ or at&t, is searched as it is. A slot of such a phrase may
// match several forms of one word.

// A word of a text that has the stem of the query's counts 1. A word as the query has it
// counts exactStem more, and one with its marks exactMarks more. So the spelling decides
// between texts that are alike.
const (
	exactMarks = 0.5
	exactStem  = 0.3
)

// maxWays limits the ways of writing one word.
const maxWays = 8

// Word returns the words and phrases that the text of a word stands for, none if no part of
// it is searched. Each word of a phrase in quotes has one form, without stems.
func (a Analyzer) Word(text string) Set { return a.set(text, a.ways(text, a.HasStems(), false)) }

// Quoted is Word for a phrase in quotes.
func (a Analyzer) Quoted(text string) Set { return a.set(text, a.ways(text, false, false)) }

// Typed is Word for a text whose last word is a prefix. It reports false if it is none.
func (a Analyzer) Typed(text string) (Set, bool) {
	tokens := a.Tokens(nil, text)
	i := slices.IndexFunc(tokens, func(t analysis.Token) bool { return t.Form == analysis.Whole && t.End == len(text) })
	if i < 0 {
		return Set{}, false
	}
	return a.set(text, a.ways(text, a.HasStems(), true)), true
}

// set returns the words and phrases of some ways.
func (a Analyzer) set(text string, ways []Phrase) Set {
	s := Set{Text: text}
	for _, p := range ways {
		switch {
		case len(p) > 1:
			s.Phrases = append(s.Phrases, p)
		case p[0].One != nil:
			s.Words = append(s.Words, p[0].One.Words...)
		default:
			s.Words = append(s.Words, p[0])
		}
	}
	return s
}

func (a Analyzer) ways(text string, stems, typed bool) []Phrase {
	if !a.IsLatest() {
		if p := a.Phrase(text); p != nil {
			return []Phrase{p}
		}
		return nil
	}
	w := writing{analyzer: a, stems: stems, typed: typed, places: map[int][]analysis.Token{}}
	tokens := a.Tokens(nil, text)
	if n := len(tokens); n > 1 && tokens[n-1].Form == analysis.Tail {
		tokens = tokens[:n-1]
	}
	for _, t := range tokens {
		w.places[t.Pos] = append(w.places[t.Pos], t)
		w.last = t.Pos
	}
	if len(tokens) > 0 {
		w.from(tokens[0].Pos, nil)
	}
	return w.ways
}

// A writing collects the ways of writing a text.
type writing struct {
	analyzer     Analyzer
	stems, typed bool
	places       map[int][]analysis.Token // by position; the word is the first
	last         int
	ways         []Phrase
}

// from adds the ways that begin with a phrase and go on at a position. All ways that begin
// alike share the memory of the phrase until they are complete: a text may have many words.
func (w *writing) from(pos int, before Phrase) {
	if len(w.ways) == maxWays {
		return
	}
	if pos > w.last {
		w.ways = append(w.ways, slices.Clone(before))
		return
	}
	more := func(next int, slots ...Slot) { w.from(next, append(before, slots...)) }
	tokens := w.places[pos]
	if len(tokens) == 0 { // a stop word
		more(pos+1, Slot{})
		return
	}
	if t, to, ok := w.signed(pos); ok {
		more(to+1, Slot{Term: t.Term})
		return
	}
	more(pos+1, w.slot(tokens))
	for _, t := range tokens[1:] {
		if t.Form == analysis.Joined {
			if to := w.end(t, pos); to > pos {
				more(to+1, Slot{Term: t.Term, Prefix: w.typed && to == w.last})
			}
		}
	}
	for _, form := range []analysis.Form{analysis.Group, analysis.Piece} {
		if pieces := w.pieces(tokens, form); len(pieces) > 1 {
			more(pos+1, pieces...)
		}
	}
}

// signed returns the word with a sign that starts at a position, and its last position. The
// dot before a word is one only at the start of the text.
func (w *writing) signed(pos int) (t analysis.Token, to int, ok bool) {
	for _, t := range w.places[pos] {
		if t.Form != analysis.Signed || t.Term[0] == '.' && t.Start > 0 {
			continue
		}
		if before := w.places[pos-1]; !slices.ContainsFunc(before, func(b analysis.Token) bool { return same(t, b) }) {
			return t, w.end(t, pos), true
		}
	}
	return t, 0, false
}

// same reports whether two tokens are the first and the last of one form.
func same(a, b analysis.Token) bool {
	return a.Form == b.Form && a.Start == b.Start && a.End == b.End && a.Term == b.Term
}

// end returns the last position of a form that starts at a position, or -1 if it starts
// before.
func (w *writing) end(t analysis.Token, pos int) int {
	for p := pos + 1; p <= w.last; p++ {
		if slices.ContainsFunc(w.places[p], func(b analysis.Token) bool { return same(t, b) }) {
			return p
		}
	}
	if slices.ContainsFunc(w.places[pos-1], func(b analysis.Token) bool { return same(t, b) }) {
		return -1
	}
	return pos
}

// slot returns the slot of a word with its forms at the same position.
func (w *writing) slot(tokens []analysis.Token) Slot {
	word := tokens[0]
	if w.typed && word.Pos == w.last {
		return Slot{Term: word.Term, Prefix: true}
	}
	own := Slot{Term: word.Term, Prefix: word.Form == analysis.Lone && word.Pos == w.last}
	var forms []Slot
	switch i := slices.IndexFunc(tokens, func(t analysis.Token) bool { return t.Form == analysis.Stem }); {
	case !w.stems || word.Form != analysis.Whole:
		forms = []Slot{own}
	case i < 0: // the word is its own stem
		forms = []Slot{{Term: word.Term, Weight: 1 + exactStem}, {Term: analysis.StemMark + word.Term}}
	default:
		forms = []Slot{{Term: word.Term, Weight: exactStem}, {Term: tokens[i].Term}, {Term: tokens[i].Term[len(analysis.StemMark):]}}
	}
	for _, t := range tokens[1:] {
		switch {
		case t.Form == analysis.Exact:
			forms = append(forms, Slot{Term: t.Term, Weight: exactMarks})
		case t.Form == analysis.Joined && w.end(t, t.Pos) == t.Pos: // dogs, of dog's
			forms = append(forms, Slot{Term: t.Term})
		}
	}
	if len(forms) > 1 {
		own.One = &Set{Text: word.Term, Words: forms}
	}
	return own
}

// pieces returns the slots of the pieces of a word: with the form Group those in which the
// case may change.
func (w *writing) pieces(tokens []analysis.Token, form analysis.Form) (slots []Slot) {
	at := tokens[0].Start
	for at < tokens[0].End {
		i := slices.IndexFunc(tokens, func(t analysis.Token) bool { return t.Form == form && t.Start == at })
		if i < 0 && form == analysis.Group {
			i = slices.IndexFunc(tokens, func(t analysis.Token) bool { return t.Form == analysis.Piece && t.Start == at })
		}
		if i < 0 {
			return nil
		}
		at = tokens[i].End
		slots = append(slots, Slot{Term: tokens[i].Term, Prefix: w.typed && tokens[0].Pos == w.last && at == tokens[0].End})
	}
	if form == analysis.Group && !slices.ContainsFunc(tokens, func(t analysis.Token) bool { return t.Form == analysis.Group }) {
		return nil // they are the pieces
	}
	return slots
}
