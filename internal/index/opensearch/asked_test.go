package opensearch

import (
	"crypto/rand"
	"path/filepath"
	"strings"
	"testing"

	"indexerd/internal/index/fulltext/schema"
	"indexerd/internal/test/askedtest"
)

func TestAsked(t *testing.T) {
	c := node(t)
	askedtest.Run(t, false, func(t *testing.T, m schema.Mapping) askedtest.Index {
		c := c
		c.Mapping = m
		c.Name = "t" + strings.ToLower(rand.Text())
		c.Dir = filepath.Join(c.Dir, c.Name)
		return create(t, c)
	})
}
