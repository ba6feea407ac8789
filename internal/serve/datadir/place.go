package datadir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"indexerd/configs"
	"indexerd/internal/base/atomicfile"
	"indexerd/internal/base/release"
	"indexerd/timetrace"
)

// MarksFile says, in the data directory, where the marks are: "file", or a place in etcd,
// behind "to" or "from" while they are moved there or back, or "restore to" while a backup is
// restored. Without it they are in the file of marks, if there is one. The file of marks
// counts only if they are in it.
const MarksFile = "marks.store"

const (
	InFile   = "file"
	MovingTo = "to "
	MoveFrom = "from "

	RestoreTo = "restore to "
)

// MarksName names a place of marks.
func MarksName(x configs.Marks) string {
	if x.Shared() {
		return "etcd " + strings.TrimRight(x.Prefix, "/")
	}
	return InFile
}

// RecordedMarks returns where the marks of a data directory are; "" if there are none.
func RecordedMarks(data string) (string, error) {
	text, err := atomicfile.Read(atomicfile.OS, filepath.Join(data, MarksFile))
	if !errors.Is(err, fs.ErrNotExist) {
		return strings.TrimSpace(string(text)), err
	}
	for _, name := range []string{timetrace.FileName, timetrace.FileName + ".prev"} {
		if _, err := os.Stat(filepath.Join(data, name)); !errors.Is(err, fs.ErrNotExist) {
			return InFile, err
		}
	}
	return "", nil
}

// RecordMarks makes durable, in the data directory, where the marks are.
func RecordMarks(data, place string) error {
	return atomicfile.Write(atomicfile.OS, filepath.Join(data, MarksFile), []byte(place+"\n"))
}

// CheckMarks returns a fault where the file of marks does not count.
func CheckMarks(cfg *configs.Config) error {
	place, err := RecordedMarks(cfg.Data)
	if err != nil || place == "" || place == InFile {
		return err
	}
	what, do := "the marks are in "+place, "start indexerd with a configuration that has `marks` there, or move them back with `indexerd move`"
	for _, cut := range []string{MovingTo, MoveFrom} {
		if other, ok := strings.CutPrefix(place, cut); ok {
			what, do = "a move of the marks "+cut+other+" was cut", "run the same `indexerd move` again"
		}
	}
	if fault := CutRestore(cfg, place); fault != nil {
		return fault
	}
	return cfg.Fault("marks", what, do)
}

// CutRestore returns a fault if a restore into the data directory was cut.
func CutRestore(cfg *configs.Config, place string) error {
	if other, ok := strings.CutPrefix(place, RestoreTo); ok {
		return cfg.Fault("marks", "a restore to "+cfg.Data+" and "+other+" was cut", DoRestore)
	}
	return nil
}

// DoMove and DoRestore are what a user does where marks are elsewhere, or on the way.
const DoMove = "move them with `indexerd move`, or name another data directory to load the tables again"

const DoRestore = "run the same `indexerd restore` again"

// OpenTrace opens the marks in the file of the data directory, if they count.
func OpenTrace(cfg *configs.Config, readOnly bool) (*timetrace.Trace, error) {
	if err := CheckMarks(cfg); err != nil {
		return nil, err
	}
	fsys := atomicfile.OS
	if readOnly {
		fsys = atomicfile.ReadOnly(fsys)
	}
	return timetrace.Open(fsys, cfg.Data, release.Version)
}
