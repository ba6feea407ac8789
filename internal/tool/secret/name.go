// Package secret tells columns that hold secrets, by their names and by samples of their
// values, and tables that no person searches. What it takes for a secret is not indexed
// until someone adds it by hand: a search must not show a live session or a password's
// hash, while a column too many that is left out costs a line of YAML.
package secret

import (
	"slices"
	"strings"
	"unicode"
)

// A Kind is what a column holds.
type Kind int

// The kinds of columns.
const (
	Text   Kind = iota // text of any type, JSON too
	Number             // a number
	Other              // a date or a boolean, which is no secret: password_changed_at
)

var (
	// strong are words of names that say by themselves that a text is a secret.
	strong = wordsOf(`password passwords passwd passphrase passcode pwd pw pass secret secrets credential credentials token tokens psk otp totp hotp nonce
		cookie cookies crypt crypted encrypted ciphertext cipher iv salt hash hashes hashed pin cvv cvc cvv2 iban ssn apikey apikeys bearer jwt csrf xsrf webhook webhooks ha1 ha1b
		sessionid sessionkey sessiondata mnemonic privatekey tfa mfa totpsecret accesskey secretkey authkey sessid phpsessid pgp_private`)
	// numeric are those that a number can be.
	numeric = wordsOf(`pin otp cvv cvc ssn password passcode iban`)
	// weak are words that do so with one of companions.
	weak = wordsOf(`session sessions sess access refresh api auth authorization authentication authenticator activation reset recovery invite invitation verification
		confirmation validation security license licence signing encryption private master backup client app application consumer oauth remember magic unsubscribe
		factor sms onetime unlock recover temp temporary login signup register impersonation deploy service account e2e e2ee room megolm olm device cross`)
	companions = wordsOf(`key keys code codes data url link id value blob string phrase json digest`)
	// alone are words that are a secret where they are the whole name.
	alone = wordsOf(`session signature seed auth activation recovery sid challenge otac key_json private_key authenticator`)
	// glued are the ends and beginnings of names that are written without a mark between words.
	glued = []string{"password", "passwd", "passphrase", "apikey", "privatekey", "authtoken", "accesstoken", "refreshtoken", "sessiontoken", "sessionid", "sessionkey", "sessiondata", "clientsecret", "secretkey", "authkey", "accesskey"}
	// harmless are words that only begin like a secret, or say that a name is about one.
	harmless = wordsOf(`secretary secretaries count counts length size type types kind algorithm algo method provider enabled required expires expiry expiration
		hint policy attempts version status state format strength`)
)

func wordsOf(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(text) {
		all[w] = true
	}
	return all
}

// OfName returns why a column is taken for a secret by its name; "": it is not. Case and
// underscores do not matter: user_activation_key is UserActivationKey.
func OfName(table, column string, kind Kind) (why string) {
	if kind == Other {
		return ""
	}
	parts := split(column)
	if len(parts) == 0 || harmless[parts[len(parts)-1]] {
		return ""
	}
	named := func(word string) string { return "its name has " + word }
	for i, p := range parts {
		if kind == Number {
			if numeric[p] {
				return named(p)
			}
			continue
		}
		glue := slices.IndexFunc(glued, func(g string) bool { return strings.HasSuffix(p, g) || strings.HasPrefix(p, g) })
		switch {
		case strong[p], strings.HasSuffix(p, "token"):
			return named(p)
		case glue >= 0:
			return named(glued[glue])
		case weak[p] && i < len(parts)-1 && companions[parts[i+1]] && !identifies(parts[i:]):
			return named(p + " " + parts[i+1])
		case p == "card" && i < len(parts)-1 && (parts[i+1] == "number" || parts[i+1] == "no" || parts[i+1] == "num"):
			return named("card " + parts[i+1])
		}
	}
	if kind == Number {
		return ""
	}
	if alone[strings.Join(parts, "_")] {
		return named(strings.Join(parts, " "))
	}
	return ofTable(table, parts)
}

// identifies reports whether words are the reference to a row: account_id, but not
// session_id.
func identifies(parts []string) bool {
	return len(parts) == 2 && parts[1] == "id" && parts[0] != "session" && parts[0] != "sess" && parts[0] != "sessions" && parts[0] != "auth"
}

// ofTable returns why a column is a secret that its table's name tells.
func ofTable(table string, parts []string) string {
	of, last := split(table), parts[len(parts)-1]
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(of, w) })
	}
	switch {
	case (has("secret", "secrets", "credential", "credentials", "token", "tokens", "macro", "hostmacro", "globalmacro", "vault")) && (last == "value" || last == "data" || last == "key"):
		return "its table holds secrets"
	case has("session", "sessions") && (last == "session" || last == "sid" || last == "data" || last == "vars"):
		return "its table holds sessions"
	case has("e2e", "e2ee", "crypto") && slices.ContainsFunc(parts, func(p string) bool { return p == "key" || p == "keys" || p == "data" }):
		return "its table holds keys of encryption"
	case slices.Contains(parts, "community") && (slices.Contains(parts, "snmp") || has("snmp", "host", "hosts", "device", "devices", "interface")):
		return "it is a community of SNMP"
	}
	return ""
}

// split returns the words of a name in lower case: at other characters than letters and
// digits, and where a capital follows a small letter or begins a word: APIKey is api key.
func split(name string) (parts []string) {
	var word []rune
	flush := func() {
		if len(word) > 0 {
			parts, word = append(parts, strings.ToLower(string(word))), nil
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsUpper(runes[i-1]) && unicode.IsLower(runes[i+1])) {
			flush()
		}
		word = append(word, r)
	}
	flush()
	return parts
}
