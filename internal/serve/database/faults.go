package database

import (
	"cmp"
	"errors"
	"fmt"

	"indexerd/configs"
	"indexerd/internal/base/nearest"
	"indexerd/internal/base/timeunit"
	"indexerd/internal/source"
)

// A TableFault is a fault of a configuration that the database may take away: the rows
// of a table cause it, or the database refuses the SQL, for example of a view that fails,
// or of a table without a privilege. It fails the table, and keeps no daemon from
// following the others.
type TableFault struct {
	Fault configs.Fault
	Rows  bool // rows cause it
}

func (f TableFault) Error() string { return f.Fault.Error() }

// AsFault turns an error of a source into the fault of the configuration that
// only the database could find, or of the rows. Other errors are returned as
// they are.
func AsFault(cfg *configs.Config, table string, err error) error {
	of := configFault(cfg, table, err)
	one, ok := of.(configs.Fault)
	conflict, rows := errors.AsType[*timeunit.Conflict](err)
	rows = rows && conflict.Rows
	if ok && (rows || errors.As(err, new(*source.RefusedError))) {
		return TableFault{one, rows}
	}
	return of
}

// IsFault reports whether an error is a fault of the configuration, of any kind.
func IsFault(err error) bool {
	return errors.As(err, new(configs.Fault)) || errors.As(err, new(configs.Faults)) || errors.As(err, new(TableFault))
}

func configFault(cfg *configs.Config, table string, err error) error {
	var fault *source.ConfigError
	if errors.As(err, &fault) {
		return cfg.Fault("tables."+table+"."+fault.Field, fault.What, cmp.Or(fault.Do, remedies[fault.Field]))
	}
	return err
}

// remedies are by field what to do where the database's answer does not say.
var remedies = map[string]string{
	"sql":      "repair the SQL; it must run as it is in the database's own client",
	"key":      "name columns that the SQL returns, of integers, text or uuids",
	"updated":  "name a column that the SQL returns, of times or epochs",
	"timezone": "name the zone that the column's times are in, such as Europe/Berlin",
}

// A Denied is a privilege that an SQL lacks, with the statement that grants it.
type Denied = source.DeniedError

// CheckColumns finds columns that the configuration searches and that the SQL
// does not return.
func CheckColumns(cfg *configs.Config, t configs.Table, columns []string) error {
	known := map[string]bool{}
	for _, c := range columns {
		known[c] = true
	}
	var faults configs.Faults
	missing := func(path, name string) {
		if known[name] {
			return
		}
		do := "select it, or remove it here"
		if near := nearest.Name(name, columns); near != "" {
			do = "did you mean " + near + "?"
		}
		faults = append(faults, cfg.Fault(path, fmt.Sprintf("column %s is not in the SQL's result", name), do))
	}
	for _, name := range t.Content.Fields {
		missing("tables."+t.Name+".content.fields", name)
	}
	for _, m := range t.Metadata {
		missing("tables."+t.Name+".metadata."+m.Name, m.Name)
	}
	if faults != nil {
		return faults
	}
	return nil
}
