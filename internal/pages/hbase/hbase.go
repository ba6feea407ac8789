// Package hbase is HBase as a store of pages, through its REST gateway.
//
// A version is a timestamp. Keys are part of URLs and have no slashes.
//
// A row that is removed leaves a marker until HBase's next major compaction, which
// hides older versions that are written later. Swap relies on HBase, which writes the
// cell of a check-and-put at the time of the one before or later.
//
// Cost: values travel as base64 in JSON, a third more bytes.
package hbase

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"indexerd/internal/pages/pagetable"
)

// requestTimeout bounds one request, so that a gateway that hangs is left.
const requestTimeout = 60 * time.Second

// A Store is one table of HBase.
type Store struct {
	Gateways []string // URLs without a path; requests go to each in turn
	Table    string
	User     string // of basic authentication, "" for none
	Password string
	HTTP     *http.Client // nil for the default

	turn atomic.Uint64
}

// Close implements pagetable.Store.
func (s *Store) Close() error {
	s.client().CloseIdleConnections()
	return nil
}

func (s *Store) client() *http.Client { return cmp.Or(s.HTTP, http.DefaultClient) }

// String implements pagetable.Store.
func (s *Store) String() string { return "table " + s.Table + " of HBase" }

// A statusError is an answer other than 2xx.
type statusError struct {
	status int
	reason string // the class of the exception
}

func (e *statusError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("HBase's gateway answers status %d %s", e.status, e.reason))
}

// ask sends a request with a JSON body and reads the answer, which may be empty.
func (s *Store) ask(ctx context.Context, method, path string, body, answer any) error {
	sent, err := json.Marshal(body)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	gateway := s.Gateways[s.turn.Add(1)%uint64(len(s.Gateways))]
	req, err := http.NewRequestWithContext(ctx, method, gateway+path, bytes.NewReader(sent))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if s.User != "" {
		req.SetBasicAuth(s.User, s.Password)
	}
	resp, err := s.client().Do(req)
	if err != nil {
		return fmt.Errorf("%w: %w", pagetable.ErrAway, err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("%w: %w", pagetable.ErrAway, err)
	}
	if resp.StatusCode/100 != 2 {
		return fault(&statusError{resp.StatusCode, exceptionOf(b)})
	}
	if answer == nil || len(b) == 0 {
		return nil
	}
	if err := json.Unmarshal(b, answer); err != nil {
		return fmt.Errorf("%w: %w", pagetable.ErrAway, err)
	}
	return nil
}

// exceptionOf returns the exception that an answer names: the first word of a line that
// ends in Exception. The rest may quote values.
func exceptionOf(answer []byte) string {
	for _, line := range strings.Split(string(answer[:min(len(answer), 2000)]), "\n") {
		class, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		if strings.HasSuffix(class, "Exception") && !strings.Contains(class, " ") {
			return class[strings.LastIndexByte(class, '.')+1:]
		}
	}
	return ""
}

// fault classifies an answer.
func fault(e *statusError) error {
	switch e.status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusRequestHeaderFieldsTooLarge:
		return &pagetable.RefusedError{Reason: e.Error()}
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("the store of pages refuses the user: %w: grant read, write and create on the table", e)
	case http.StatusNotFound, http.StatusNotModified:
		return e
	}
	return fmt.Errorf("%w: %w", pagetable.ErrAway, e)
}

// missing reports whether an error is status 404: a table or rows that are not there.
func missing(err error) bool {
	e, ok := errors.AsType[*statusError](err)
	return ok && e.status == http.StatusNotFound
}

// The JSON of the gateway. Keys, columns and values are base64, as []byte is in Go.
type (
	rowSet struct {
		Row []row `json:"Row"`
	}
	row struct {
		Key  []byte `json:"key"`
		Cell []cell `json:"Cell"`
	}
	cell struct {
		Column    []byte  `json:"column"`
		Timestamp *uint64 `json:"timestamp,omitempty"` // nil: the server's time
		Value     []byte  `json:"$"`
	}
	schema struct {
		Name   string   `json:"name"`
		Column []column `json:"ColumnSchema"`
	}
	column struct {
		Name     string `json:"name"`
		Versions string `json:"VERSIONS"`
	}
)

// Ready implements pagetable.Store.
func (s *Store) Ready(ctx context.Context, versions int) error {
	want := schema{Name: s.Table}
	for _, name := range []string{pagetable.Meta, pagetable.Row, pagetable.Child} {
		want.Column = append(want.Column, column{name, strconv.Itoa(versions)})
	}
	var have schema
	err := s.ask(ctx, http.MethodGet, "/"+s.Table+"/schema", nil, &have)
	if err != nil && !missing(err) {
		return err
	}
	kept := map[string]string{}
	for _, c := range have.Column {
		kept[c.Name] = c.Versions
	}
	for _, c := range want.Column {
		if kept[c.Name] != c.Versions {
			// PUT makes the table, POST adds families to it and changes them.
			method := http.MethodPost
			if err != nil {
				method = http.MethodPut
			}
			return s.ask(ctx, method, "/"+s.Table+"/schema", want, nil)
		}
	}
	return nil
}

// Write implements pagetable.Store. HBase writes the cells of a row at once.
func (s *Store) Write(ctx context.Context, rows []pagetable.Cells) error {
	var sent rowSet
	for _, r := range rows {
		one := row{Key: []byte(r.Key)}
		for _, c := range r.Cells {
			one.Cell = append(one.Cell, cell{[]byte(c.Family + ":" + c.Qualifier), &c.At, notNil(c.Value)})
		}
		sent.Row = append(sent.Row, one)
	}
	// The key in the path is not used for several rows.
	err := s.ask(ctx, http.MethodPut, "/"+s.Table+"/rows", sent, nil)
	if missing(err) {
		return fmt.Errorf("%w: %w", pagetable.ErrReplaced, err)
	}
	return err
}

// notNil returns a value that JSON does not write as null.
func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// Read implements pagetable.Store.
func (s *Store) Read(ctx context.Context, keys []string, family string, n int) ([]pagetable.Cells, error) {
	path := "/" + s.Table + "/multiget"
	if family != "" {
		path += "/" + family
	}
	return s.rows(ctx, path+"?"+url.Values{"row": keys, "v": {strconv.Itoa(n)}}.Encode())
}

// Scan implements pagetable.Store.
func (s *Store) Scan(ctx context.Context, from, to, family string, n int) ([]pagetable.Cells, error) {
	v := url.Values{"startrow": {from}, "endrow": {to}, "column": {family}, "limit": {strconv.Itoa(n)}}
	return s.rows(ctx, "/"+s.Table+"/*?"+v.Encode())
}

func (s *Store) rows(ctx context.Context, path string) ([]pagetable.Cells, error) {
	var got rowSet
	if err := s.ask(ctx, http.MethodGet, path, nil, &got); err != nil {
		if missing(err) {
			return nil, s.isThere(ctx) // no rows
		}
		return nil, err
	}
	rows := make([]pagetable.Cells, len(got.Row))
	for i, r := range got.Row {
		rows[i] = pagetable.Cells{Key: string(r.Key), Cells: make([]pagetable.Cell, len(r.Cell))}
		for j, c := range r.Cell {
			family, qualifier, _ := strings.Cut(string(c.Column), ":")
			rows[i].Cells[j] = pagetable.Cell{Family: family, Qualifier: qualifier, At: *cmp.Or(c.Timestamp, new(uint64)), Value: c.Value}
		}
	}
	return rows, nil
}

// isThere returns ErrReplaced if the table is missing. Without rows the gateway
// answers 404 too.
func (s *Store) isThere(ctx context.Context) error {
	err := s.ask(ctx, http.MethodGet, "/"+s.Table+"/schema", nil, &schema{})
	if missing(err) {
		return fmt.Errorf("%w: %w", pagetable.ErrReplaced, err)
	}
	return err
}

// Remove implements pagetable.Store.
func (s *Store) Remove(ctx context.Context, key string, upTo uint64) error {
	return s.ask(ctx, http.MethodDelete, "/"+s.Table+"/"+url.PathEscape(key)+"//"+strconv.FormatUint(upTo, 10), nil, nil)
}

// Swap implements pagetable.Store. The last cell of a check-and-put is the condition;
// an empty value means that there is no cell.
func (s *Store) Swap(ctx context.Context, key string, was, now []byte) (bool, error) {
	name := []byte(pagetable.Meta + ":owner")
	sent := rowSet{[]row{{[]byte(key), []cell{{Column: name, Value: now}, {Column: name, Value: notNil(was)}}}}}
	err := s.ask(ctx, http.MethodPut, "/"+s.Table+"/"+url.PathEscape(key)+"?check=put", sent, nil)
	if e, ok := errors.AsType[*statusError](err); ok && e.status == http.StatusNotModified {
		return false, nil
	}
	return err == nil, err
}
