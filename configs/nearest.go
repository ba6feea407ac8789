package configs

import (
	"fmt"

	"indexerd/internal/nearest"
)

// didYouMean is " (did you mean X?)", or nothing where no name is close.
func didYouMean(name string, names []string) string {
	if near := nearest.Name(name, names); near != "" {
		return fmt.Sprintf(" (did you mean %s?)", near)
	}
	return ""
}
