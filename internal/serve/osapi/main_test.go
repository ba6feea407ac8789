package osapi

import (
	"os"
	"testing"

	"indexerd/internal/opensearch/nodetest"
)

func TestMain(m *testing.M) { os.Exit(nodetest.Main(m)) }
