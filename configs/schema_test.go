package configs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"indexerd/internal/test/badconfigs"
	"indexerd/internal/test/golden"
)

// TestSchema compares schema.json with the table of keys. With -update it writes
// the file: see go generate in keys.go.
func TestSchema(t *testing.T) {
	root := schema(t, mapping{fileKeys(new(Config))})
	root.Version = jsonschema.Version
	root.Title = "indexerd configuration"
	got, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "schema.json", string(got)+"\n")
}

// schema returns the JSON Schema of a value.
func schema(t *testing.T, v value) *jsonschema.Schema {
	t.Helper()
	switch v := v.(type) {
	case mapping:
		return mappingSchema(t, v)
	case either:
		s := mappingSchema(t, v.mapping)
		s.OneOf = []*jsonschema.Schema{{Required: []string{v.this}}, {Required: []string{v.that}}}
		return s
	case timeColumn:
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{schema(t, v.keys[0].value), mappingSchema(t, v.mapping)}}
	case named:
		s := &jsonschema.Schema{Type: "object", AdditionalProperties: schema(t, v.of("x"))}
		s.PropertyNames = &jsonschema.Schema{Pattern: v.pattern}
		if v.some {
			one := uint64(1)
			s.MinProperties = &one
		}
		return s
	case list:
		return listSchema(schema(t, v.of()))
	case constants:
		return listSchema(&jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "number"}, {Type: "boolean"}}})
	case dotted:
		return schema(t, v.names)
	case tableKey:
		return schema(t, v.names)
	case names:
		name := &jsonschema.Schema{Type: "string", Pattern: `\S`}
		s := listSchema(name)
		s.UniqueItems = true
		if v.alone {
			return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{name, s}}
		}
		return s
	case text, titled, zone, statement:
		return &jsonschema.Schema{Type: "string", Pattern: `\S`}
	case stems:
		return schema(t, v.choice)
	case choice:
		s := &jsonschema.Schema{}
		for _, word := range v.words {
			s.Enum = append(s.Enum, word)
		}
		return orExpanded(s)
	case boolean:
		return orExpanded(&jsonschema.Schema{Type: "boolean"})
	case number:
		return orExpanded(&jsonschema.Schema{Type: "integer", Minimum: asNumber(v.min), Maximum: asNumber(v.max)})
	case decimal:
		return orExpanded(&jsonschema.Schema{Type: "number", ExclusiveMinimum: "0", Maximum: json.Number(fmt.Sprint(v.most))})
	case fromZero:
		return orExpanded(&jsonschema.Schema{Type: "number", Minimum: "0", Maximum: json.Number(fmt.Sprint(v.most))})
	case size:
		return orExpanded(&jsonschema.Schema{Type: "integer", Minimum: "1"}, &jsonschema.Schema{Type: "string", Pattern: `^[0-9]+ *([KMG]iB)?$`})
	case duration:
		return orExpanded(durationSchema())
	case hours:
		return orExpanded(&jsonschema.Schema{Type: "string", Pattern: `^ *[0-9]{1,2}:[0-9]{2} *- *[0-9]{1,2}:[0-9]{2} *$`})
	case tierEnd:
		return orExpanded(&jsonschema.Schema{Enum: []any{"latest", "settled"}}, durationSchema())
	}
	t.Fatalf("no schema for a value of type %T", v)
	return nil
}

func mappingSchema(t *testing.T, m mapping) *jsonschema.Schema {
	t.Helper()
	s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
	for _, k := range m.keys {
		property := schema(t, k.value)
		property.Description = k.means + "\n\n" + k.hint()
		s.Properties.Set(k.name, property)
		if k.need {
			s.Required = append(s.Required, k.name)
		}
	}
	return s
}

func listSchema(item *jsonschema.Schema) *jsonschema.Schema {
	one := uint64(1)
	return &jsonschema.Schema{Type: "array", Items: item, MinItems: &one}
}

func durationSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: `^([0-9.]+d)?([0-9.]+(ns|us|µs|ms|s|m|h))*$`}
}

// orExpanded returns a schema that also accepts text with ${NAME} in it.
func orExpanded(s ...*jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: append(s, &jsonschema.Schema{Type: "string", Pattern: `\$\{`})}
}

func asNumber(i int) json.Number { return json.Number(fmt.Sprint(i)) }

func TestSchemaAcceptsGoodFiles(t *testing.T) {
	check := compileSchema(t)
	for _, file := range append(mustGlob(t, "testdata/good/*.yaml"), mustGlob(t, "*.yaml")...) {
		if err := check.Validate(asJSON(t, file)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// The schema does not find every fault, but these.
func TestSchemaRejectsBadFiles(t *testing.T) {
	check := compileSchema(t)
	cases := map[string]badconfigs.Case{}
	for _, c := range badconfigs.Read(t, "testdata") {
		cases[c.Name] = c
	}
	for _, name := range []string{
		"unknown_key_near", "missing_table_keys", "missing_dsn", "dsn_and_dsn_file", "no_tables", "table_name_upper",
		"content_is_list", "fields_empty", "key_twice", "batch_zero", "batch_is_text", "duration_words", "unknown_type",
		"unknown_end", "absent_driver", "tree_without_unit", "token_neither", "token_name_long", "tls_of_a_proxy_and_own", "metadata_space",
		"child_without_content", "extra_without_type", "deleted_both", "deleted_null", "unknown_child_type", "boost_zero", "unit_unknown", "unit_without_column",
	} {
		c, ok := cases[name+".yaml"]
		if !ok {
			t.Errorf("%s: no such case in testdata/bad", name)
		} else if err := check.Validate(asJSON(t, c.File(t))); err == nil {
			t.Errorf("%s: schema reports no error", name)
		}
	}
}

func compileSchema(t *testing.T) *validator.Schema {
	t.Helper()
	data, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := validator.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	compiler := validator.NewCompiler()
	if err := compiler.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	check, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return check
}

// asJSON returns a YAML file in the form of the validator.
func asJSON(t *testing.T, file string) any {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var content any
	if err := yaml.Unmarshal(data, &content); err != nil {
		t.Fatal(err)
	}
	data, err = json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := validator.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
