package sink

// The limits, to be compared with those of what is stored.
const (
	MaxKey  = maxKey
	MaxBody = maxBody
)
