package doc

import (
	"testing"
	"time"
)

func TestSameComparesKeyTimeAndToken(t *testing.T) {
	at := time.Date(2026, 3, 1, 10, 0, 0, 123456000, time.UTC)
	base := Stamp{OID: "k", Updated: at, Token: Token{Digest: 7, Epoch: 1}}
	tests := []struct {
		name  string
		other Stamp
		want  bool
	}{
		{"itself", base, true},
		{"the same instant in another zone", Stamp{"k", at.In(time.FixedZone("", 3600)), base.Token}, true},
		{"another key", Stamp{"l", at, base.Token}, false},
		{"newer", Stamp{"k", at.Add(time.Microsecond), base.Token}, false},
		{"older", Stamp{"k", at.Add(-time.Microsecond), base.Token}, false},
		{"no updateTime", Stamp{"k", time.Time{}, base.Token}, false},
		{"another digest", Stamp{"k", at, Token{8, 1}}, false},
		{"another epoch of the token", Stamp{"k", at, Token{7, 2}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := base.Same(tt.other); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if got := tt.other.Same(base); got != tt.want {
				t.Errorf("the other way round: got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestTokenPrints16Digits(t *testing.T) {
	for digest, want := range map[uint64]string{0: "0000000000000000", 0xabc: "0000000000000abc", 1<<64 - 1: "ffffffffffffffff"} {
		if got := (Token{Digest: digest, Epoch: 9}).String(); got != want {
			t.Errorf("token %d: got %s, want %s", digest, got, want)
		}
	}
}

func TestAddSumsCounts(t *testing.T) {
	window := Window{From: time.Unix(1, 0), To: time.Unix(2, 0)}
	got := Report{Window: window, Read: 1, Compared: 2, Added: 3, Updated: 4, Deleted: 5, Held: 8, Skipped: 6, Quarantined: 7, Late: Lateness{Max: time.Second}}
	got.Add(Report{Window: Window{To: time.Unix(9, 0)}, Read: 10, Compared: 20, Added: 30, Updated: 40, Deleted: 50, Held: 80, Skipped: 60, Quarantined: 70, Late: Lateness{Max: time.Minute}})
	got.Add(Report{Late: Lateness{Max: time.Second}})
	want := Report{Window: window, Read: 11, Compared: 22, Added: 33, Updated: 44, Deleted: 55, Held: 88, Skipped: 66, Quarantined: 77, Late: Lateness{Max: time.Minute}}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestWithoutUnusableReportsStampsWithoutKey(t *testing.T) {
	for _, all := range [][]Stamp{{{OID: "a"}, {OID: "b"}}, {{OID: "a"}, {}, {OID: "b"}}} {
		usable, unusable := WithoutUnusable(all)
		if len(usable) != 2 || usable[0].OID != "a" || usable[1].OID != "b" || unusable != (len(all) == 3) {
			t.Errorf("%v: got %v, %v, want a and b, and whether there are others", all, usable, unusable)
		}
	}
}
