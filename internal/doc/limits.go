package doc

import (
	"encoding/json"
	"fmt"
)

// Limits are the most that a document may have. Zero means no limit.
//
// They bound memory: the index is built of a document as a whole, and while it
// is, each word takes many times the bytes that it has in the text.
type Limits struct {
	Text     int64 // bytes of all values as text, those of the children included
	Words    int   // words that are searched, each as often as it stands there
	Distinct int   // different ones of them
}

// CheckText reports a text of so many bytes that is too long for a document.
func (l Limits) CheckText(bytes int) error {
	return exceeds(int64(bytes), l.Text, "bytes of text", "text")
}

// CheckWords reports words that are too many for a document.
func (l Limits) CheckWords(words, distinct int) error {
	if err := exceeds(int64(words), int64(l.Words), "words", "words"); err != nil {
		return err
	}
	return exceeds(int64(distinct), int64(l.Distinct), "different words", "distinct_words")
}

// exceeds names the option that raises the limit: it is a table's.
func exceeds(n, most int64, what, option string) error {
	if most == 0 || n <= most {
		return nil
	}
	return fmt.Errorf("the document has more than %d %s: select less in the SQL, or raise limits.%s of the table", most, what, option)
}

// Size returns the bytes of the row's values as text, those of its children
// included. It looks at no byte of a text.
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

// numberSize stands for the digits of a number, and for true and false.
const numberSize = 8

func sizeOf(v any) int {
	switch v := v.(type) {
	case nil:
		return 0
	case string:
		return len(v)
	case json.Number:
		return len(v)
	case []any:
		n := 0
		for _, e := range v {
			n += sizeOf(e)
		}
		return n
	}
	return numberSize
}
