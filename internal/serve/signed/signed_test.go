package signed

import (
	"crypto/ed25519"
	"encoding/base64"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
	_ "indexerd/internal/test/nofailfile"
)

const secret = "0123456789abcdef0123456789abcdef"

var now = time.Unix(1_764_345_600, 0)

// sign signs claims with a key of a method; kid names the key unless it is "".
func sign(t *testing.T, method jwt.SigningMethod, key any, kid string, c map[string]any) string {
	t.Helper()
	token := jwt.NewWithClaims(method, jwt.MapClaims(c))
	if kid != "" {
		token.Header["kid"] = kid
	}
	text, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestVerify(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	keys := []Key{Secret("shop", secret), Public("ed", public)}
	later, earlier := now.Add(time.Hour).Unix(), now.Add(-time.Hour).Unix()
	full := map[string]any{"exp": later, "sub": "u1", "groups": []string{"a"}, "tables": []string{"film"}, "filters": []string{"tenant_id:7", "kind:a:b"}}
	want := search.Caller{Groups: []string{"a"}, Tables: []string{"film"}, Only: []query.Filter{{Field: "tenant_id", Values: []string{"7"}}, {Field: "kind", Values: []string{"a:b"}}}}
	hs := func(c map[string]any) string { return sign(t, jwt.SigningMethodHS256, []byte(secret), "", c) }
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"exp":9999999999}`)) + "."
	for _, c := range []struct {
		name, token string
		want        search.Caller
		wrong       string
	}{
		{"HS256", hs(full), want, ""},
		{"EdDSA", sign(t, jwt.SigningMethodEdDSA, private, "", full), want, ""},
		{"a named key", sign(t, jwt.SigningMethodEdDSA, private, "ed", full), want, ""},
		{"nothing but an end", hs(map[string]any{"exp": later}), search.Caller{}, ""},
		{"no table", hs(map[string]any{"exp": later, "tables": []string{}}), search.Caller{Tables: []string{}}, ""},
		{"just expired", hs(map[string]any{"exp": now.Add(-leeway / 2).Unix()}), search.Caller{}, ""},
		{"the name of another key", sign(t, jwt.SigningMethodHS256, []byte(secret), "ed", full), search.Caller{}, "no key has signed"},
		{"another secret", sign(t, jwt.SigningMethodHS256, []byte("x"+secret), "", full), search.Caller{}, "no key has signed"},
		{"the public key as a secret", sign(t, jwt.SigningMethodHS256, []byte(public), "", full), search.Caller{}, "no key has signed"},
		{"another method", sign(t, jwt.SigningMethodHS512, []byte(secret), "", full), search.Caller{}, "no key has signed"},
		{"no method", none, search.Caller{}, "no key has signed"},
		{"no end", hs(map[string]any{"groups": []string{"a"}}), search.Caller{}, "no exp"},
		{"expired", hs(map[string]any{"exp": earlier}), search.Caller{}, "expired"},
		{"not yet", hs(map[string]any{"exp": later, "nbf": later}), search.Caller{}, "not valid yet"},
		{"a misspelled claim", hs(map[string]any{"exp": later, "filter": []string{"a:b"}}), search.Caller{}, "unknown"},
		{"admin", hs(map[string]any{"exp": later, "admin": true}), search.Caller{}, "unknown"},
		{"groups that are a text", hs(map[string]any{"exp": later, "groups": "a"}), search.Caller{}, "unknown or of another type"},
		{"a filter without a value", hs(map[string]any{"exp": later, "filters": []string{"tenant_id"}}), search.Caller{}, "FIELD:VALUE"},
		{"two filters of a field", hs(map[string]any{"exp": later, "filters": []string{"a:1", "a:2"}}), search.Caller{}, "same field"},
		{"too long", hs(map[string]any{"exp": later, "sub": strings.Repeat("x", maxToken)}), search.Caller{}, "too long"},
		{"no token", "eyJx.y.z", search.Caller{}, "no key has signed"},
	} {
		got, err := Verify(c.token, keys, now)
		if !reflect.DeepEqual(got, c.want) || c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%s: got %+v, %v, want %+v, %q", c.name, got, err, c.want, c.wrong)
		}
	}
	if _, err := Verify(hs(full), nil, now); err == nil {
		t.Error("without keys: got no error")
	}
}

// A changed byte anywhere in a token makes it invalid.
func TestNoByteCanChange(t *testing.T) {
	token := sign(t, jwt.SigningMethodHS256, []byte(secret), "", map[string]any{"exp": now.Add(time.Hour).Unix(), "groups": []string{"a"}})
	for i := range len(token) - 1 { // the last character has bits that mean nothing
		changed := []byte(token)
		if changed[i] ^= 1; changed[i] == token[i] {
			continue
		}
		if _, err := Verify(string(changed), []Key{Secret("shop", secret)}, now); err == nil {
			t.Errorf("byte %d: got no error", i)
		}
	}
}
