package osapi

import (
	"fmt"
	"net/http"

	"indexerd/internal/serve/httpapi"
)

// parsing returns the error of a request that is not supported or not valid.
func parsing(format string, args ...any) error {
	return &httpapi.Error{Status: http.StatusBadRequest, Code: "parsing_exception", Message: fmt.Sprintf(format, args...)}
}

// fault returns an error of a request with one of OpenSearch's types.
func fault(kind, format string, args ...any) error {
	return &httpapi.Error{Status: http.StatusBadRequest, Code: kind, Message: fmt.Sprintf(format, args...)}
}

// Types of errors, as OpenSearch has them.
const (
	illegalArgument  = "illegal_argument_exception"
	invalidRequest   = "action_request_validation_exception"
	notOfField       = "query_shard_exception"
	unreadableNumber = "number_format_exception"
	unknownKey       = "x_content_parse_exception"
	unreadableDate   = "parse_exception"
)

// illegal returns the error of an argument that is not possible.
func illegal(format string, args ...any) error { return fault(illegalArgument, format, args...) }
