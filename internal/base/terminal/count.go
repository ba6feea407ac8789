package terminal

import "fmt"

// Count returns a number and a noun: "1 row", "20,000 rows".
func Count[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Grouped(int64(n)) + " " + what + "s"
}

// Grouped returns a number with commas between its thousands.
func Grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
