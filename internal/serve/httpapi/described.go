package httpapi

import (
	"net/http"

	"indexerd/internal/index/search"
)

// Tables is the answer of GET /api/v1/tables: what the caller may search.
type Tables struct {
	Access string        `json:"access"` // admin, or search for a token that may only search
	Tables []TableFields `json:"tables"`
}

// TableFields is a table that can be searched. Of one that is not ready no fields are
// known.
type TableFields struct {
	Table  string         `json:"table"`
	Ready  bool           `json:"ready"`
	Fields []search.Named `json:"fields"`
}

func writeTables(w http.ResponseWriter, e Engine, c search.Caller) {
	t := Tables{Access: "search", Tables: e.Described(c)}
	if c.Admin {
		t.Access = "admin"
	}
	writeJSON(w, http.StatusOK, t)
}

// StorageStatus is what a table takes on the disk of the data directory: nothing of an
// index or of pages on other machines.
type StorageStatus struct {
	IndexBytes   uint64 `json:"index_bytes"`
	PagesBytes   int64  `json:"pages_bytes"`
	GarbageBytes int64  `json:"garbage_bytes"` // of the pages, until a compaction
}

// DiskStatus is the disk of the data directory.
type DiskStatus struct {
	FreeBytes uint64 `json:"free_bytes"`
	SizeBytes uint64 `json:"size_bytes"`
}
