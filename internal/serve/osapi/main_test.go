package osapi

import (
	"os"
	"testing"

	"indexerd/internal/test/nodetest"
)

func TestMain(m *testing.M) { os.Exit(nodetest.Main(m)) }
