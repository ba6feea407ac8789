package doc

import (
	"encoding/json"
	"fmt"
)

// Limits bound the size of a document. Zero means no limit.
//
// They bound memory: the indexer analyses a document as a whole, and a word takes
// many times its bytes in memory during that.
type Limits struct {
	Text     int64 // bytes of all values as text, including the children's
	Words    int   // searched words, counting repetitions
	Distinct int   // different searched words
}

// CheckText returns an error if a document's text of so many bytes exceeds the
// limit.
func (l Limits) CheckText(bytes int) error {
	return exceeds(int64(bytes), l.Text, "bytes of text", "text")
}

// CheckWords returns an error if a document's words exceed a limit.
func (l Limits) CheckWords(words, distinct int) error {
	if err := exceeds(int64(words), int64(l.Words), "words", "words"); err != nil {
		return err
	}
	return exceeds(int64(distinct), int64(l.Distinct), "different words", "distinct_words")
}

// exceeds returns an error that names the table's option if n exceeds the limit.
func exceeds(n, most int64, what, option string) error {
	if most == 0 || n <= most {
		return nil
	}
	return fmt.Errorf("the document has more than %d %s: select less in the SQL, or raise limits.%s of the table", most, what, option)
}

// Size returns the bytes of the row's values as text, including its children's.
// Its cost does not depend on the length of texts.
func (r Row) Size() int {
	n := 0
	for _, v := range r.Values {
		n += sizeOf(v)
	}
	for _, c := range r.Children {
		for _, row := range c.Rows {
			n += row.Size()
		}
	}
	return n
}

// numberSize is the size that Size assumes for a number or a boolean.
const numberSize = 8

func sizeOf(v any) int {
	switch v := v.(type) {
	case nil:
		return 0
	case string:
		return len(v)
	case json.Number:
		return len(v)
	case JSON:
		return len(v)
	case BadValue:
		return len(v.Text)
	case []any:
		n := 0
		for _, e := range v {
			n += sizeOf(e)
		}
		return n
	}
	return numberSize
}
