package httpapi

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

func TestAskReturnsTheResponseOfAHandler(t *testing.T) {
	for _, c := range []struct {
		target, body string
		want         string // the error; "" for none
	}{
		{"/api/v1/tables/film/search", `"oid":"7"`, ""},
		{"/api/v1/tables/none/search", `"code":"unknown_table"`, "unknown_table: no table none: there is film"},
		{"/api/v1/tables/film/explain/7", `"verdict":"absent"`, ""},
	} {
		r, err := http.NewRequest(http.MethodGet, c.target, nil)
		if err != nil {
			t.Fatal(err)
		}
		status, body := Ask(Handler(&fakeEngine{verdict: "absent"}, Access{}), r)
		err = ResponseError(status, body)
		if got := new(Error); !strings.Contains(string(body), c.body) || (err != nil) != (c.want != "") || errors.As(err, &got) && got.Error() != c.want {
			t.Errorf("%s: got %d %s and error %v, want %s and error %q", c.target, status, body, err, c.body, c.want)
		}
	}
	if err := ResponseError(http.StatusBadGateway, []byte("<html>")); err == nil || !strings.Contains(err.Error(), "status 502") {
		t.Errorf("response that is not JSON: got %v, want its status", err)
	}
}
