package inspect

import (
	"context"
	"errors"
	"strings"
	"time"

	"indexerd/internal/base/doc"
	"indexerd/internal/source/dialect"
)

// NoAnswer says why a database can't be used, and one thing to do. It looks which kind of
// server answers at the address, host:port/database, if none of the driver's did.
func NoAnswer(ctx context.Context, driver, address string, err error) (what, do string) {
	what, do = doc.WhatToDo(err, "start the database, or correct address and login")
	what = strings.Join(strings.Fields(what), " ")
	fault, ok := errors.AsType[*dialect.Fault](err)
	if !ok || fault.Code != "" || driver == "sqlite" {
		return what, do
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	host, _, _ := strings.Cut(address, "/")
	switch kind := dialect.Answers(ctx, host); {
	case kind == "", kind == "a PostgreSQL server" && driver == "postgres", kind == "a MySQL or MariaDB server" && driver == "mysql":
		return what, do
	case kind == "an SSH server":
		return what + "; an SSH server answers at " + host, "correct the port"
	case kind == "a PostgreSQL server":
		return what + "; a PostgreSQL server answers at " + host, "write driver postgres and an address that begins with postgres://, or correct the port"
	default:
		return what + "; " + kind + " answers at " + host, "write driver mysql and an address that begins with mysql://, or correct the port"
	}
}
