// Package input reads the JSON of requests, and makes the errors of what is wrong in it.
// Each error is an *httpapi.Error with status 400 and one of OpenSearch's types.
package input

import (
	"fmt"
	"net/http"

	"indexerd/internal/serve/httpapi"
)

// Types of errors, as OpenSearch has them.
const (
	notSupported     = "parsing_exception"
	IllegalArgument  = "illegal_argument_exception"
	InvalidRequest   = "action_request_validation_exception"
	NotOfField       = "query_shard_exception"
	UnreadableNumber = "number_format_exception"
	UnknownKey       = "x_content_parse_exception"
	UnreadableDate   = "parse_exception"
)

// ParsingError returns the error of a request that is not supported or not valid.
func ParsingError(format string, args ...any) error {
	return Error(notSupported, format, args...)
}

// Error returns an error of a request with one of OpenSearch's types.
func Error(kind, format string, args ...any) error {
	return &httpapi.Error{Status: http.StatusBadRequest, Code: kind, Message: fmt.Sprintf(format, args...)}
}

// ArgumentError returns the error of an argument that is not possible.
func ArgumentError(format string, args ...any) error { return Error(IllegalArgument, format, args...) }
