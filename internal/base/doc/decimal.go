package doc

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// A Number is a decimal of any size in one form: without a plus sign, an exponent,
// leading zeros or trailing zeros after the point; or NaN, Infinity or -Infinity,
// which sort as PostgreSQL sorts them: NaN is the greatest.
type Number string

// maxExponent bounds the digits before the point, and the zeros after it. PostgreSQL
// has up to 131,072 and 16,383 of them.
const maxExponent = 1 << 18

// Signs of an encoded decimal, in order.
const (
	minusInfinity byte = iota + 1
	negative
	zero
	positive
	infinity
	notANumber
)

var specialNumbers = map[Number]byte{"-Infinity": minusInfinity, "0": zero, "Infinity": infinity, "NaN": notANumber}

// ParseNumber returns the one form of a decimal.
func ParseNumber(s string) (Number, error) {
	if _, special := specialNumbers[Number(s)]; special {
		return Number(s), nil
	}
	minus, digits, exponent, err := splitNumber(s)
	if err != nil {
		return "", err
	}
	return joinNumber(minus, digits, exponent), nil
}

// splitNumber parses a finite number: the value is 0.digits times 10^exponent. The
// digits neither begin nor end with 0, and are empty if the number is 0.
func splitNumber(s string) (minus bool, digits string, exponent int, err error) {
	unsigned, minus := strings.CutPrefix(s, "-")
	if !minus {
		unsigned = strings.TrimPrefix(s, "+")
	}
	whole, fraction, _ := strings.Cut(unsigned, ".")
	if whole+fraction == "" || strings.Trim(whole, "0123456789")+strings.Trim(fraction, "0123456789") != "" {
		return false, "", 0, fmt.Errorf("%q is not a decimal", s)
	}
	whole = strings.TrimLeft(whole, "0")
	digits, exponent = whole+fraction, len(whole)
	if whole == "" {
		digits = strings.TrimLeft(fraction, "0")
		exponent = len(digits) - len(fraction)
	}
	digits = strings.TrimRight(digits, "0")
	if max(exponent, -exponent, len(digits)) > maxExponent && digits != "" {
		return false, "", 0, fmt.Errorf("the decimal has more than %d digits", maxExponent)
	}
	return minus, digits, exponent, nil
}

// joinNumber is the inverse of splitNumber.
func joinNumber(minus bool, digits string, exponent int) Number {
	text := ""
	switch {
	case digits == "":
		return "0"
	case exponent <= 0:
		text = "0." + strings.Repeat("0", -exponent) + digits
	case exponent >= len(digits):
		text = digits + strings.Repeat("0", exponent-len(digits))
	default:
		text = digits[:exponent] + "." + digits[exponent:]
	}
	if minus {
		text = "-" + text
	}
	return Number(text)
}

// appendDecimal encodes a decimal:
//
//	sign      1 byte: -Infinity, negative, 0, positive, Infinity or NaN; only a
//	          negative or positive number has more
//	exponent  4 bytes big-endian with the sign bit flipped
//	digits    a byte for each two, from 1 for 00 to 100 for 99; the last two are not 00
//	00        the end
//
// After the sign, all bits of a negative number are flipped.
func appendDecimal(b []byte, n Number) ([]byte, error) {
	b = append(b, byte(Decimal))
	if sign, special := specialNumbers[n]; special {
		return append(b, sign), nil
	}
	minus, digits, exponent, err := splitNumber(string(n))
	switch {
	case err != nil:
		return nil, fmt.Errorf("can't be encoded: %w", err)
	case digits == "":
		return append(b, zero), nil
	case minus:
		b = append(b, negative)
	default:
		b = append(b, positive)
	}
	start := len(b)
	b = binary.BigEndian.AppendUint32(b, uint32(exponent)^(1<<31))
	for digits += "0"; len(digits) > 1; digits = digits[2:] {
		b = append(b, 1+10*(digits[0]-'0')+digits[1]-'0')
	}
	b = append(b, 0)
	if minus {
		flip(b[start:])
	}
	return b, nil
}

func flip(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}

// cutDecimal decodes a decimal at the start of s and returns the rest of s.
func cutDecimal(s string) (part any, rest string, err error) {
	if s == "" {
		return nil, "", errCut
	}
	for n, sign := range specialNumbers {
		if s[0] == sign {
			return n, s[1:], nil
		}
	}
	minus, last := s[0] == negative, byte(0)
	if minus {
		last = 0xff
	}
	end := strings.IndexByte(s[min(5, len(s)):], last)
	if !minus && s[0] != positive || end < 1 {
		return nil, "", errCut
	}
	b := []byte(s[1 : 5+end])
	if minus {
		flip(b)
	}
	exponent, digits := int(int32(binary.BigEndian.Uint32(b)^(1<<31))), make([]byte, 0, 2*end)
	for _, two := range b[4:] {
		if two--; two > 99 {
			return nil, "", errCut
		}
		digits = append(digits, '0'+two/10, '0'+two%10)
	}
	if max(exponent, -exponent, len(digits)) > maxExponent+1 || digits[0] == '0' || string(digits[len(digits)-2:]) == "00" {
		return nil, "", errCut
	}
	return joinNumber(minus, strings.TrimRight(string(digits), "0"), exponent), s[6+end:], nil
}
