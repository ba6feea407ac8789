//go:build deps

package indexerd

import (
	_ "github.com/alecthomas/kong"
	_ "github.com/bits-and-blooms/bloom/v3"
	_ "github.com/blevesearch/bleve/v2"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/cjk"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/en"
	_ "github.com/blevesearch/bleve/v2/analysis/token/ngram"
	_ "github.com/cenkalti/backoff/v5"
	_ "github.com/mattn/go-isatty"
	_ "github.com/go-co-op/gocron/v2"
	_ "github.com/gofrs/flock"
	_ "github.com/google/btree"
	_ "github.com/invopop/jsonschema"
	_ "github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/klauspost/compress/s2"
	_ "github.com/klauspost/compress/zstd"
	_ "github.com/lmittmann/tint"
	_ "github.com/magiconair/properties"
	_ "github.com/redis/go-redis/v9"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/santhosh-tekuri/jsonschema/v6"
	_ "github.com/vbauerster/mpb/v8"
	_ "github.com/zeebo/xxh3"
	_ "go.yaml.in/yaml/v3"
	_ "golang.org/x/sync/errgroup"
	_ "modernc.org/sqlite"
	_ "pgregory.net/rapid"
)
