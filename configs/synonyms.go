package configs

import (
	"fmt"
	"strings"

	"indexerd/internal/index/query"
)

// The limits of a file of synonyms. maxSynonymFaults is the number of its faults that
// are reported.
const (
	maxGroup         = 64 // words and phrases of a line
	maxSynonymWords  = 8  // of a phrase
	maxSynonymFaults = 10
)

// checkSynonyms reads the file of synonyms, if there is one. A fault has its name and
// line.
func (r *reader) checkSynonyms(path string, t *Table) {
	if t.Synonyms == "" {
		return
	}
	if t.Content.Analyzer == "ngram" {
		r.wrong(path, "not used with analyzer ngram, which has no words", "remove it, or choose another analyzer")
		return
	}
	data, what := readWords(t.Synonyms)
	if what != "" {
		r.wrong(path, what, "write the name of a UTF-8 file with a group of synonyms a line: car, automobile, motor car")
		return
	}
	faults := 0
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		rule, what := synonyms(line)
		if what == "" {
			t.SynonymRules = append(t.SynonymRules, rule)
		} else if faults++; faults <= maxSynonymFaults {
			r.wrong(path, fmt.Sprintf("file %s:%d: %s", t.Synonyms, i+1, what), "write a group as car, automobile, motor car, or a => b, c")
		}
	}
}

// synonyms reads a line, or returns what is wrong with it.
func synonyms(line string) (rule query.Synonyms, what string) {
	from, to, replaces := strings.Cut(line, "=>")
	if rule.From, what = group(from); what != "" {
		return rule, what
	}
	if !replaces {
		rule.To = rule.From
		if len(rule.From) < 2 {
			return rule, "only one word or phrase"
		}
		return rule, ""
	}
	if strings.Contains(to, "=>") {
		return rule, "two =>"
	}
	rule.To, what = group(to)
	return rule, what
}

// group reads words and phrases between commas.
func group(text string) (all []string, what string) {
	for part := range strings.SplitSeq(text, ",") {
		words := strings.Fields(part)
		switch {
		case len(words) == 0:
			return nil, "no word before or after a comma or =>"
		case len(words) > maxSynonymWords:
			return nil, fmt.Sprintf("phrase of %d words, more than %d", len(words), maxSynonymWords)
		}
		all = append(all, strings.Join(words, " "))
	}
	if len(all) > maxGroup {
		return nil, fmt.Sprintf("%d words and phrases, more than %d", len(all), maxGroup)
	}
	return all, ""
}
