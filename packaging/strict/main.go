// Strict reads the examples as their programs do, and reports what those would refuse or
// ignore: a compose file against its schema, and each object of Kubernetes against its type.
//
//	go -C packaging run ./strict compose/compose.yaml kubernetes/one.yaml
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/compose-spec/compose-go/v2/loader"
	compose "github.com/compose-spec/compose-go/v2/types"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/json"
	strict "sigs.k8s.io/yaml"
)

func main() {
	for _, file := range os.Args[1:] {
		check := objects
		if filepath.Base(file) == "compose.yaml" {
			check = project
		}
		if err := check(file); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", file, err)
			os.Exit(1)
		}
	}
}

// project loads a compose file with the variables of the environment.
func project(file string) error {
	_, err := loader.LoadWithContext(context.Background(), compose.ConfigDetails{
		WorkingDir: filepath.Dir(file), ConfigFiles: []compose.ConfigFile{{Filename: file}}, Environment: compose.NewMapping(os.Environ()),
	})
	return err
}

// kinds makes an object of each kind that the examples have.
var kinds = map[string]func() any{
	"v1 Secret": func() any { return new(core.Secret) }, "v1 ConfigMap": func() any { return new(core.ConfigMap) }, "v1 Service": func() any { return new(core.Service) },
	"apps/v1 StatefulSet": func() any { return new(apps.StatefulSet) }, "policy/v1 PodDisruptionBudget": func() any { return new(policy.PodDisruptionBudget) },
}

// objects reads the objects of Kubernetes in a file. An unknown or repeated key is an error.
func objects(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	r := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for n := 1; ; n++ {
		one, err := r.Read()
		if errors.Is(err, io.EOF) && n > 1 {
			return nil
		}
		if err != nil {
			return err
		}
		var head struct{ APIVersion, Kind string }
		if err := strict.Unmarshal(one, &head); err != nil {
			return fmt.Errorf("object %d: %w", n, err)
		}
		make := kinds[head.APIVersion+" "+head.Kind]
		if make == nil {
			return fmt.Errorf("object %d: no kind %s %s", n, head.APIVersion, head.Kind)
		}
		body, err := strict.YAMLToJSONStrict(one)
		if err != nil {
			return fmt.Errorf("object %d, %s: %w", n, head.Kind, err)
		}
		// As the server does: names of another case are unknown.
		unknown, err := json.UnmarshalStrict(body, make())
		if err := errors.Join(append(unknown, err)...); err != nil {
			return fmt.Errorf("object %d, %s: %w", n, head.Kind, err)
		}
	}
}
