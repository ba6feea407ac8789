// Package signed verifies tokens that an application signs for each of its users (JWT,
// RFC 7519), with a key that it shares with the daemon. Such a token says what its bearer
// may search, and until when:
//
//	{"exp": 1764345600, "groups": ["sales"], "tables": ["film"], "filters": ["tenant_id:7"]}
//
// exp is required; without groups, no document of a table with acl is found; without
// tables, all tables are searched; each filter, FIELD:VALUE, must match. A filter by a
// field that a table does not have finds nothing there. An unknown claim is an error, so
// that a misspelled one does not open what it should close; those that RFC 7519 names are
// allowed, and nbf counts.
//
// A token can't do more than search, and can't be withdrawn before its end but by
// removing its key.
package signed

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"indexerd/internal/index/query"
	"indexerd/internal/index/search"
)

// maxToken bounds a token, in bytes, and maxList the groups, tables and filters of one.
const (
	maxToken = 8 << 10
	maxList  = 256
)

// leeway is how far the clocks of the application and of this machine may differ.
const leeway = 30 * time.Second

// A Key verifies tokens: HS256 by a secret, or EdDSA by a public key.
type Key struct {
	Name   string
	secret []byte
	public ed25519.PublicKey
}

// Secret returns a key of HS256.
func Secret(name, secret string) Key { return Key{Name: name, secret: []byte(secret)} }

// Public returns a key of EdDSA.
func Public(name string, key ed25519.PublicKey) Key { return Key{Name: name, public: key} }

// claims are those of a token.
type claims struct {
	jwt.RegisteredClaims
	Groups  []string `json:"groups"`
	Tables  []string `json:"tables"`
	Filters []string `json:"filters"`
}

// Looks reports whether a bearer token has the form of a signed one.
func Looks(token string) bool {
	return strings.HasPrefix(token, "eyJ") && strings.Count(token, ".") == 2
}

// Verify returns what the bearer of a token may search. The token is valid if one of the
// keys has signed it; a kid in its header names the key. The error says what is wrong
// with it, without any part of it.
func Verify(token string, keys []Key, now time.Time) (search.Caller, error) {
	if len(token) > maxToken {
		return search.Caller{}, fmt.Errorf("token too long: more than %d bytes", maxToken)
	}
	err := errors.New("no key has signed the token")
	for _, key := range keys {
		c, wrong := key.verify(token, now)
		if wrong == nil {
			return c.caller()
		}
		if !errors.Is(wrong, jwt.ErrTokenSignatureInvalid) && !errors.Is(wrong, jwt.ErrTokenUnverifiable) {
			err = wrong
		}
	}
	return search.Caller{}, plain(err)
}

var errOtherKey = errors.New("the token names another key")

func (k Key) verify(token string, now time.Time) (claims, error) {
	var c claims
	parser := jwt.NewParser(jwt.WithValidMethods([]string{k.method()}), jwt.WithExpirationRequired(), jwt.WithLeeway(leeway), jwt.WithTimeFunc(func() time.Time { return now }))
	_, err := parser.ParseWithClaims(token, &strict{&c}, func(t *jwt.Token) (any, error) {
		if kid, named := t.Header["kid"]; named && kid != k.Name {
			return nil, errOtherKey
		}
		if k.public != nil {
			return k.public, nil
		}
		return k.secret, nil
	})
	return c, err
}

func (k Key) method() string {
	if k.public != nil {
		return jwt.SigningMethodEdDSA.Alg()
	}
	return jwt.SigningMethodHS256.Alg()
}

// plain returns what is wrong with a signed token.
func plain(err error) error {
	for _, known := range []error{jwt.ErrTokenExpired, jwt.ErrTokenNotValidYet, jwt.ErrTokenRequiredClaimMissing, errClaim} {
		if errors.Is(err, known) {
			switch known {
			case jwt.ErrTokenExpired:
				return errors.New("the token has expired")
			case jwt.ErrTokenNotValidYet:
				return errors.New("the token is not valid yet")
			case jwt.ErrTokenRequiredClaimMissing:
				return errors.New("the token has no exp")
			}
			return errClaim
		}
	}
	return errors.New("no key has signed the token")
}

// caller returns the rights of claims that are valid.
func (c claims) caller() (search.Caller, error) {
	caller := search.Caller{Groups: c.Groups, Tables: c.Tables}
	if max(len(c.Groups), len(c.Tables), len(c.Filters)) > maxList {
		return search.Caller{}, fmt.Errorf("the token lists more than %d groups, tables or filters", maxList)
	}
	for _, text := range c.Filters {
		field, value, found := strings.Cut(text, ":")
		if !found || field == "" {
			return search.Caller{}, errors.New("a filter of the token is not FIELD:VALUE")
		}
		i := slices.IndexFunc(caller.Only, func(f query.Filter) bool { return f.Field == field })
		if i >= 0 {
			return search.Caller{}, errors.New("two filters of the token have the same field")
		}
		caller.Only = append(caller.Only, query.Filter{Field: field, Values: []string{value}})
	}
	return caller, nil
}
