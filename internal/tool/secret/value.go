package secret

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// lazily returns a function that compiles a pattern when it is called first.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// A form is one of secrets that a whole value shows without doubt.
type form struct {
	is   *regexp.Regexp
	what string
}

// forms are compiled when the first value is judged: a daemon judges none.
var forms = sync.OnceValue(func() []form {
	return []form{
		{regexp.MustCompile(`-----BEGIN [A-Z ]*(PRIVATE KEY|CERTIFICATE|PGP MESSAGE)[A-Z ]*-----`), "a key or certificate in PEM"},
		{regexp.MustCompile(`^eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*$`), "a JWT"},
		{regexp.MustCompile(`^\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}$`), "a password's hash (bcrypt)"},
		{regexp.MustCompile(`^\$(argon2(id|i|d)|scrypt|pbkdf2[a-z0-9-]*|7|y)\$\S+$`), "a password's hash"},
		{regexp.MustCompile(`^\$([156]|apr1|P|H|S)\$\S{8,}$`), "a password's hash (crypt)"},
		{regexp.MustCompile(`^(pbkdf2_sha(1|256|512)|bcrypt(_sha256)?|argon2|scrypt|md5|sha1)\$\S{8,}$`), "a password's hash (Django)"},
		{regexp.MustCompile(`^\$[PH]\$[./A-Za-z0-9]{31}$`), "a password's hash (phpass)"},
		{regexp.MustCompile(`^\{(SSHA|SHA|SMD5|CRYPT|SSHA256|SSHA512|PBKDF2)[A-Z0-9-]*\}\S{16,}$`), "a password's hash (LDAP)"},
		{regexp.MustCompile(`^SCRAM-SHA-(1|256)\$\d+:`), "a password's hash (SCRAM)"},
		{regexp.MustCompile(`^(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{40,}|glpat-[\w-]{20,}|xox[abposr]-[\w-]{10,}|sk_(live|test)_\w{16,}|rk_(live|test)_\w{16,}|AKIA[0-9A-Z]{16}|AIza[\w-]{35}|SG\.[\w-]{16,}\.[\w-]{16,}|npm_\w{36}|hf_\w{30,})$`), "an API's token"},
		{regexp.MustCompile(`^(age1|AGE-SECRET-KEY-1)[a-z0-9A-Z]{50,}$`), "a key of age"},
	}
})

const (
	// fewest is the number of different values from which their common form decides.
	fewest = 3
	// most is the share of values that must have it.
	most = 0.8
	// keyBytes is the least size of a random value in hex or base64.
	keyBytes = 16
)

// OfValues returns why a column is taken for a secret by a sample of its values; "": it
// is not. One value in a form of forms is enough. References to rows, such as a UUID in
// hex, are told by identifier: of them only those forms are secrets.
func OfValues(values []string, identifier bool) (why string) {
	distinct := map[string]bool{}
	for _, v := range values {
		if v = strings.TrimSpace(v); v == "" {
			continue
		}
		distinct[v] = true
		for _, f := range forms() {
			if f.is.MatchString(v) {
				return "a value looks like " + f.what
			}
		}
	}
	if len(distinct) < fewest {
		return ""
	}
	for what, is := range map[string]func(string) bool{"card numbers": isCard, "IBANs": isIBAN} {
		if share(distinct, is) >= most {
			return "its values look like " + what
		}
	}
	if size := commonSize(distinct); size > 0 && !identifier {
		for what, is := range map[string]func(string) bool{"hex": isHex, "base64": isBase64} {
			if share(distinct, is) >= most {
				return fmt.Sprintf("its values look random: all are %d characters of %s", size, what)
			}
		}
	}
	return ""
}

func share(values map[string]bool, is func(string) bool) float64 {
	n := 0
	for v := range values {
		if is(v) {
			n++
		}
	}
	return float64(n) / float64(len(values))
}

// commonSize returns the size of all values, 0 if they differ.
func commonSize(values map[string]bool) (size int) {
	for v := range values {
		if size != 0 && len(v) != size {
			return 0
		}
		size = len(v)
	}
	return size
}

var (
	inHex    = lazily(`^([0-9a-f]+|[0-9A-F]+)$`)
	inBase64 = lazily(`^[A-Za-z0-9+/_-]+={0,2}$`)
	inDigits = lazily(`^[0-9]+$`)
)

func isHex(v string) bool {
	return len(v) >= 2*keyBytes && inHex().MatchString(v) && !inDigits().MatchString(v)
}

// isBase64 reports whether a value is a random one in base64: it has letters of both
// cases and a digit, which words do not.
func isBase64(v string) bool {
	if len(v) < (keyBytes*8+5)/6 || !inBase64().MatchString(v) {
		return false
	}
	return strings.ContainsFunc(v, unicode.IsUpper) && strings.ContainsFunc(v, unicode.IsLower) && strings.ContainsFunc(v, unicode.IsDigit)
}

// cards are the numbers of the large card schemes, by prefix and length (ISO/IEC 7812).
var cards = lazily(`^(4[0-9]{12}([0-9]{3}){0,2}|5[1-5][0-9]{14}|2[2-7][0-9]{14}|3[47][0-9]{13}|3(0[0-5]|[68][0-9])[0-9]{11}|6(011|5[0-9]{2}|4[4-9][0-9])[0-9]{12}|35[2-8][0-9]{13})$`)

// ungrouped removes what separates the digits of a number.
var ungrouped = strings.NewReplacer(" ", "", "-", "")

func isCard(v string) bool {
	v = ungrouped.Replace(v)
	return cards().MatchString(v) && luhn(v)
}

// luhn checks the last digit of a number (ISO/IEC 7812-1, annex B).
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

var ibans = lazily(`^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$`)

// isIBAN checks a number of a bank account (ISO 13616).
func isIBAN(v string) bool {
	v = strings.ReplaceAll(v, " ", "")
	if !ibans().MatchString(v) {
		return false
	}
	var digits strings.Builder
	for _, r := range v[4:] + v[:4] {
		if r >= 'A' {
			fmt.Fprint(&digits, r-'A'+10)
		} else {
			digits.WriteRune(r)
		}
	}
	n, ok := new(big.Int).SetString(digits.String(), 10)
	return ok && new(big.Int).Mod(n, big.NewInt(97)).Int64() == 1
}
