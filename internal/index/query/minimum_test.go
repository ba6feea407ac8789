package query

import "testing"

// The numbers are those that OpenSearch 3.8 uses.
func TestMinimum(t *testing.T) {
	for _, c := range []struct {
		text    string
		n, want int
	}{
		{"2", 3, 2}, {"5", 3, 5}, {"-1", 3, 2}, {"-5", 3, 0}, {"0", 3, 0},
		{"75%", 4, 3}, {"75%", 3, 2}, {"100%", 3, 3}, {"33%", 3, 0}, {"34%", 3, 1},
		{"-25%", 4, 3}, {"-25%", 3, 3}, {"-50%", 3, 2}, {"150%", 2, 3}, {"-100%", 3, 0},
		{"2<75%", 2, 2}, {"2<75%", 3, 2}, {"2 < 75%", 4, 3},
		{"2<-25% 9<-3", 1, 1}, {"2<-25% 9<-3", 8, 6}, {"2<-25% 9<-3", 9, 7}, {"2<-25% 9<-3", 12, 9},
		{" 3 ", 4, 3}, {"1<1", 1, 1}, {"1<1", 5, 1},
	} {
		m, err := ParseMinimum(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := m.Of(c.n); got != c.want {
			t.Errorf("%s of %d: got %d, want %d", c.text, c.n, got, c.want)
		}
		if again, err := ParseMinimum(m.String()); err != nil || again.Of(c.n) != c.want {
			t.Errorf("%s: its text %s is another minimum", c.text, m)
		}
	}
	for _, text := range []string{"", " ", "x", "2.5", "%", "2<", "<2", "2<3<4", "x<1", "1 2", "99999999999"} {
		if m, err := ParseMinimum(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, m)
		}
	}
	if got := (Minimum{}).Of(3); got != 3 {
		t.Errorf("the zero minimum of 3: got %d", got)
	}
}
