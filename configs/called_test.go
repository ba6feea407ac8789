package configs

import "testing"

// A person writes a table's name as the database spells it.
func TestCalled(t *testing.T) {
	c := Config{Tables: []Table{{Name: "track"}, {Name: "invoice_line"}, {Name: "a_b"}, {Name: "ab"}}}
	for name, want := range map[string]string{
		"track": "track", "Track": "track", `"Track"`: "track", "InvoiceLine": "invoice_line", "invoice_line": "invoice_line",
		"ab": "ab", "a_b": "a_b", "A_B": "A_B", // one of two
		"tracks": "tracks", "*": "*", "": "", "_": "_",
	} {
		if got := c.Called(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
