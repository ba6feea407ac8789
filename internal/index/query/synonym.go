package query

// A Synonym is a word of the content that counts as one with others. No text parses to
// it: a table's synonyms replace words by it.
type Synonym struct {
	Word           // as it is written
	Texts []string // words and phrases to search: any of them counts as the word
}

// Synonyms are words and phrases. A query for one of From finds any of To in its place.
type Synonyms struct{ From, To []string }

// MaxSynonyms is the number of words and phrases that all Synonyms of a query stand for.
const MaxSynonyms = 1024
