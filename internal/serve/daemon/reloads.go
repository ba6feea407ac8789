package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"indexerd/configs"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/serve/httpapi"
)

// An order to reload a table is durable before it is answered: the file T.reload is in the
// data directory until the table is forgotten, or the order is refused. A daemon that ends
// in between carries the order out when it starts again.
const reloadSuffix = ".reload"

func reloadFile(data, table string) string { return filepath.Join(data, table+reloadSuffix) }

// noteReload makes an order durable. Its error is the answer to the caller.
func noteReload(data, table string) error {
	return noteOrder(reloadFile(data, table), []byte(table+"\n"))
}

// noteOrder writes an order durably. After an error there is none.
func noteOrder(file string, text []byte) error {
	err := atomicfile.Write(atomicfile.OS, file, text)
	if err == nil {
		return nil
	}
	err = errors.Join(err, removeOrder(file))
	return &httpapi.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", Message: "the order can't be stored: " + configs.Message(err), Hint: repairDisk + ", and ask again"}
}

// removeOrder removes an order, if there is one.
func removeOrder(file string) error {
	err := os.Remove(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil { // a power cut would bring it back
		err = atomicfile.OS.SyncDir(filepath.Dir(file))
	}
	return err
}

// endReload forgets an order that was carried out or refused. If the file stays, the order
// is carried out once more.
func endReload(data, table string) error {
	if err := removeOrder(reloadFile(data, table)); err != nil {
		return fmt.Errorf("the order to reload %s: %w", table, err)
	}
	return nil
}

// carryOutReloads forgets the tables whose reload was ordered and not carried out.
func (h holding) carryOutReloads(cfg *configs.Config) error {
	files, err := filepath.Glob(filepath.Join(cfg.Data, "*"+reloadSuffix))
	if err != nil || len(files) == 0 {
		return err
	}
	trace, err := h.shared.OpenTrace(cfg, false)
	if err != nil {
		return err
	}
	for _, file := range files {
		table := strings.TrimSuffix(filepath.Base(file), reloadSuffix)
		if _, ok := trace.Table(table); !ok {
			err = endReload(cfg.Data, table)
		} else {
			err = h.forget(trace, cfg.Data, table)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
