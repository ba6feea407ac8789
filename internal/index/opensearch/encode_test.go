package opensearch

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	_ "indexerd/internal/test/nofailfile"
)

// What appendJSON writes is read as what encoding/json writes.
func TestAppendJSON(t *testing.T) {
	leaf := rapid.OneOf(
		rapid.String().AsAny(), rapid.StringN(-1, -1, 200).AsAny(), rapid.Int64().AsAny(), rapid.Bool().AsAny(), rapid.Float64Range(-1e300, 1e300).AsAny(),
		rapid.SliceOf(rapid.String()).AsAny(), rapid.MapOf(rapid.String(), rapid.SliceOf(rapid.String())).AsAny(),
		rapid.Just[any](nil), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) any { return string(b) }), rapid.Just[any](json.Number("1E+2")),
	)
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOf(rapid.String(), leaf)
		fields := map[string]any{}
		for name, v := range object.Draw(t, "fields") {
			fields[name] = v
		}
		fields["in"], fields["list"] = object.Draw(t, "in"), rapid.SliceOf(leaf).Draw(t, "list")
		fields["lists"] = map[string][]any{"a": {int64(1), "\x00\x1f\"\\\n\t\u2028<é>"}}
		got, err := appendJSON(nil, fields)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if err := json.Unmarshal(got, &a); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		if err := json.Unmarshal(want, &b); err != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("got %s, want %s", got, want)
		}
	})
	if _, err := appendJSON(nil, map[string]any{"nan": []any{math.NaN()}}); err == nil {
		t.Error("NaN: got no error")
	}
}
