package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// callNode sends a request to a node of a cluster, as an operator does. A nil body is none.
func callNode(node, method, path string, body any) ([]byte, error) {
	sent, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	if body == nil {
		sent = nil
	}
	request, err := http.NewRequest(method, node+path, strings.NewReader(string(sent)))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: 20 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %.300s", method, path, response.Status, text)
	}
	return text, err
}

// nodeAnswers sends a request to a node that has to answer it. A nil answer is not read.
func nodeAnswers(t testing.TB, node, method, path string, body, answer any) {
	t.Helper()
	text, err := callNode(node, method, path, body)
	if err == nil && answer != nil {
		err = json.Unmarshal(text, answer)
	}
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
}
