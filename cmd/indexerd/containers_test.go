package main

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"indexerd/configs"
	"indexerd/internal/base/release"
)

// What the examples have of the image.
const (
	imageConfig = "/etc/indexerd/indexerd.yaml"
	imageVolume = "/var/lib/indexerd"
	imageUser   = "65532:65532"
)

// TestExamplesAreStrict has the examples read as their programs read them: the compose file
// by the schema, the objects of Kubernetes by the types of its API.
func TestExamplesAreStrict(t *testing.T) {
	t.Parallel()
	good := readFile(t, filepath.Join(root, "packaging", "kubernetes", "one.yaml"))
	strict := func(files ...string) ([]byte, error) {
		c := exec.Command("go", append([]string{"-C", filepath.Join(root, "packaging"), "run", "./strict"}, files...)...)
		c.Env = append(os.Environ(), "DATABASE_URL=postgres://db", "INDEXERD_TOKEN="+opsToken, "SEARCH_TOKEN="+salesToken)
		return c.CombinedOutput()
	}
	if out, err := strict("compose/compose.yaml", "kubernetes/one.yaml", "kubernetes/two.yaml"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	for old, wrong := range map[string]string{"readOnlyRootFilesystem": "readOnlyRootFileSystem", "replicas: 1": "replicas: one"} {
		if out, err := strict(writeFile(t, strings.Replace(good, old, wrong, 1))); err == nil {
			t.Errorf("%s is accepted: %s", wrong, out)
		}
	}
}

// A container is what an example says of one.
type container struct {
	image, user string
	readOnly    bool
	env         map[string]bool
	ports       []string          // where the container listens
	mounts      map[string]string // by path
	config      []byte
}

// check compares a container with the image and with the configuration that it has.
func (c container) check(t *testing.T) *configs.Config {
	t.Helper()
	if c.image != "indexerd:"+release.Version || c.user != imageUser || !c.readOnly {
		t.Errorf("got the image %s, the user %s, read-only %t", c.image, c.user, c.readOnly)
	}
	used := map[string]bool{}
	conf, err := configs.Parse("indexerd.yaml", c.config, func(name string) (string, bool) {
		used[name] = true
		return map[string]string{"DATABASE_URL": "postgres://reader@db.example.com:5432/shop", "INDEXERD_TOKEN": opsToken, "SEARCH_TOKEN": salesToken}[name], c.env[name]
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, c.config)
	}
	if !maps.Equal(used, c.env) {
		t.Errorf("the configuration uses %v, the container has %v", used, c.env)
	}
	host, port, err := net.SplitHostPort(conf.HTTP.Listen)
	if err != nil || !net.ParseIP(host).IsUnspecified() || !slices.Equal(c.ports, []string{port}) || !conf.HTTP.TLS.EndedByProxy {
		t.Errorf("the configuration listens on %s, the container on %v", conf.HTTP.Listen, c.ports)
	}
	if path.Dir(conf.Data) != imageVolume || c.mounts[imageVolume] != "data" {
		t.Errorf("the data are in %s, the mounts are %v", conf.Data, c.mounts)
	}
	return conf
}

func TestCompose(t *testing.T) {
	t.Parallel()
	type source struct{ Source, Target string }
	var file struct {
		Services map[string]struct {
			Image, User string
			ReadOnly    bool `yaml:"read_only"`
			Environment map[string]string
			Ports       []string
			Volumes     []string
			Configs     []source
		}
		Configs map[string]struct{ File string }
		Volumes map[string]any
	}
	dir := filepath.Join(root, "packaging", "compose")
	if err := yaml.Unmarshal([]byte(readFile(t, filepath.Join(dir, "compose.yaml"))), &file); err != nil {
		t.Fatal(err)
	}
	s := file.Services["indexerd"]
	c := container{image: s.Image, user: s.User, readOnly: s.ReadOnly, env: map[string]bool{}, mounts: map[string]string{}}
	for name := range s.Environment {
		c.env[name] = true
	}
	for _, port := range s.Ports {
		c.ports = append(c.ports, port[strings.LastIndex(port, ":")+1:])
		if !strings.HasPrefix(port, "127.0.0.1:") {
			t.Errorf("port %s is published to other machines, without TLS", port)
		}
	}
	for _, volume := range s.Volumes {
		name, target, _ := strings.Cut(volume, ":")
		if _, declared := file.Volumes[name]; declared {
			c.mounts[target] = name
		}
	}
	if len(s.Configs) != 1 || s.Configs[0].Target != imageConfig {
		t.Fatalf("got the configs %v", s.Configs)
	}
	c.config = []byte(readFile(t, filepath.Join(dir, file.Configs[s.Configs[0].Source].File)))
	c.check(t)
}

// A manifest has what is read of the objects of Kubernetes.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Secret   map[string]string `yaml:"stringData"`
	Spec     struct {
		Replicas int
		Ports    []struct {
			Port       int
			TargetPort string `yaml:"targetPort"`
		}
		Template struct{ Spec podSpec }
		Claims   []struct{ Metadata struct{ Name string } } `yaml:"volumeClaimTemplates"`
	}
}

type podSpec struct {
	Security struct {
		User  string `yaml:"runAsUser"`
		Group string `yaml:"runAsGroup"`
		Files string `yaml:"fsGroup"`
		Root  bool   `yaml:"runAsNonRoot"`
	} `yaml:"securityContext"`
	Containers []struct {
		Image string
		Ports []struct {
			Name string
			Port string `yaml:"containerPort"`
		}
		Env []struct {
			Secret struct{ Name string } `yaml:"secretRef"`
		} `yaml:"envFrom"`
		Security struct {
			ReadOnly bool `yaml:"readOnlyRootFilesystem"`
		} `yaml:"securityContext"`
		Startup   probe `yaml:"startupProbe"`
		Liveness  probe `yaml:"livenessProbe"`
		Readiness probe `yaml:"readinessProbe"`
		Mounts    []struct {
			Name string
			Path string `yaml:"mountPath"`
		} `yaml:"volumeMounts"`
	}
	Volumes []struct {
		Name   string
		Config struct{ Name string } `yaml:"configMap"`
	}
}

type probe struct {
	Get struct{ Path, Port string } `yaml:"httpGet"`
}

func TestKubernetes(t *testing.T) {
	t.Parallel()
	for name, replicas := range map[string]int{"one.yaml": 1, "two.yaml": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects := map[string]manifest{}
			for d := yaml.NewDecoder(bytes.NewReader([]byte(readFile(t, filepath.Join(root, "packaging", "kubernetes", name))))); ; {
				var m manifest
				err := d.Decode(&m)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				objects[m.Kind] = m
			}
			set := objects["StatefulSet"]
			pod, one := set.Spec.Template.Spec, set.Spec.Template.Spec.Containers[0]
			c := container{image: one.Image, user: pod.Security.User + ":" + pod.Security.Group, readOnly: one.Security.ReadOnly && pod.Security.Root, env: map[string]bool{}, mounts: map[string]string{}}
			if pod.Security.Files != pod.Security.Group {
				t.Errorf("the volume belongs to group %s, want %s", pod.Security.Files, pod.Security.Group)
			}
			for _, from := range one.Env {
				if from.Secret.Name == objects["Secret"].Metadata.Name {
					for key := range objects["Secret"].Secret {
						c.env[key] = true
					}
				}
			}
			for _, p := range one.Ports {
				c.ports = append(c.ports, p.Port)
			}
			places := map[string]string{} // of volumes
			for _, claim := range set.Spec.Claims {
				places[claim.Metadata.Name] = claim.Metadata.Name
			}
			for _, v := range pod.Volumes {
				if v.Config.Name == objects["ConfigMap"].Metadata.Name {
					places[v.Name] = "ConfigMap"
				}
			}
			for _, m := range one.Mounts {
				c.mounts[m.Path] = places[m.Name]
			}
			if c.mounts[path.Dir(imageConfig)] != "ConfigMap" {
				t.Errorf("got the mounts %v, want the configuration at %s", c.mounts, imageConfig)
			}
			c.config = []byte(objects["ConfigMap"].Data[path.Base(imageConfig)])
			conf := c.check(t)

			for what, got := range map[string]probe{"/livez": one.Liveness, "/readyz": one.Readiness, "/livez ": one.Startup} {
				if got.Get.Path != strings.TrimSpace(what) || got.Get.Port != one.Ports[0].Name {
					t.Errorf("got the probe %+v, want %s", got, what)
				}
			}
			if p := objects["Service"].Spec.Ports[0]; p.TargetPort != one.Ports[0].Name {
				t.Errorf("the service has the port %+v", p)
			}
			cluster := conf.Index.Engine == configs.OpenSearch && conf.Marks.Engine == configs.Etcd
			if set.Spec.Replicas != replicas || cluster != (replicas == 2) {
				t.Errorf("got %d replicas, and a cluster: %t", set.Spec.Replicas, cluster)
			}
		})
	}
}
