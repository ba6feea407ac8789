package doc

import (
	"encoding/xml"
	"io"
	"strings"
)

// TextOfXML returns the text of an XML document or of a part of one: that of its elements
// and the values of its attributes, in their order, without names, comments and
// namespaces. A text that is no XML stays as it is.
func TextOfXML(text string) string {
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // the text is UTF-8, whatever it declares
	var words []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			words = append(words, s)
		}
	}
	for {
		token, err := d.Token()
		switch {
		case err == io.EOF:
			return strings.Join(words, " ")
		case err != nil:
			return text
		}
		switch token := token.(type) {
		case xml.CharData:
			add(string(token))
		case xml.StartElement:
			for _, a := range token.Attr {
				if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
					add(a.Value)
				}
			}
		}
	}
}
