package signed

import (
	"bytes"
	"encoding/json"
	"errors"
)

// errClaim is the error of a claim that is unknown, or of another type.
var errClaim = errors.New("the token has a claim that is unknown or of another type: there are exp, nbf, iat, iss, sub, aud, jti, groups, tables and filters")

// strict decodes claims without unknown ones.
type strict struct{ *claims }

// UnmarshalJSON implements json.Unmarshaler.
func (s *strict) UnmarshalJSON(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(s.claims); err != nil {
		return errClaim
	}
	return nil
}
