package apidiff

// A known is a difference that is accepted: the aspects of an answer that may differ if
// a request has the feature. docs/opensearch-api.md has the same reasons.
type known struct {
	feature string
	aspects []string
	reason  string
}

// accepted lists the differences that are not faults.
var accepted = []known{}

// refused are the features that the API refuses by name, whatever the node does.
var refused = map[string]string{}
