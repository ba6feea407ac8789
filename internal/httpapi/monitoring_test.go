package httpapi

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// scraped returns the labels of each metric that there is.
func scraped(t *testing.T) map[string][]string {
	t.Helper()
	labels := map[string][]string{}
	for line := range strings.Lines(scrape(t)) {
		m := regexp.MustCompile(`^(\w+)(\{.*\})? \S+\n$`).FindStringSubmatch(line)
		if m == nil {
			continue // a comment
		}
		of := []string{"instance", "job"} // Prometheus adds them
		for _, l := range regexp.MustCompile(`[{,](\w+)="`).FindAllStringSubmatch(m[2], -1) {
			of = append(of, l[1])
		}
		labels[m[1]] = of
	}
	return labels
}

// checkExpr fails where an expression, or what is written of its result, asks
// for a metric or a label that there is not: the panel would be empty for ever.
func checkExpr(t *testing.T, where, expr, legend string, known map[string][]string) {
	t.Helper()
	metrics := regexp.MustCompile(`\bindexerd_\w+`).FindAllString(expr, -1)
	if len(metrics) == 0 {
		t.Errorf("%s asks for no metric: %s", where, expr)
	}
	if strings.Count(expr, "(") != strings.Count(expr, ")") || strings.Count(expr, "{") != strings.Count(expr, "}") {
		t.Errorf("%s: brackets don't match: %s", where, expr)
	}
	for _, metric := range metrics {
		if known[metric] == nil {
			t.Errorf("%s asks for %s, which /metrics does not have", where, metric)
			continue
		}
		var labels []string
		for _, l := range regexp.MustCompile(`[{,]\s*(\w+)(=|!=|=~|!~)"`).FindAllStringSubmatch(expr, -1) {
			labels = append(labels, l[1])
		}
		for _, by := range regexp.MustCompile(`by \(([^)]*)\)`).FindAllStringSubmatch(expr, -1) {
			labels = append(labels, strings.Split(by[1], ", ")...)
		}
		for _, l := range regexp.MustCompile(`\{\{ ?(?:\$labels\.)?(\w+) ?\}\}`).FindAllStringSubmatch(legend, -1) {
			labels = append(labels, l[1])
		}
		for _, label := range labels {
			if !slices.Contains(known[metric], label) {
				t.Errorf("%s: %s has no label %s, but %v", where, metric, label, known[metric])
			}
		}
	}
}

func monitoring(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "configs", "monitoring", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestGrafanaDashboard(t *testing.T) {
	var board struct {
		Title, UID string
		Templating struct {
			List []struct{ Name, Query string }
		}
		Panels []struct {
			ID                       int
			Type, Title, Description string
			Targets                  []struct{ Expr, LegendFormat string }
		}
	}
	if err := json.Unmarshal(monitoring(t, "grafana-dashboard.json"), &board); err != nil {
		t.Fatal(err)
	}
	if board.Title == "" || board.UID == "" {
		t.Error("the dashboard has no title or no uid")
	}
	known, ids, panels := scraped(t), map[int]bool{}, 0
	for _, v := range board.Templating.List {
		if q := strings.TrimPrefix(v.Query, "label_values("); q != v.Query {
			metric, label, _ := strings.Cut(strings.TrimSuffix(q, ")"), ", ")
			checkExpr(t, "variable "+v.Name, metric, "{{"+label+"}}", known)
		}
	}
	for _, p := range board.Panels {
		if ids[p.ID] {
			t.Errorf("%s: two panels are number %d", p.Title, p.ID)
		}
		ids[p.ID] = true
		if p.Type == "row" {
			continue
		}
		panels++
		if p.Title == "" || p.Description == "" || len(p.Targets) == 0 {
			t.Errorf("panel %d, %q: want a title, a description and a target", p.ID, p.Title)
		}
		for _, target := range p.Targets {
			checkExpr(t, p.Title, target.Expr, target.LegendFormat, known)
		}
	}
	if panels < 20 {
		t.Errorf("got %d panels, want 20 and more", panels)
	}
}

func TestAlertExpressions(t *testing.T) {
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations struct{ Summary, Description string }
			}
		}
	}
	if err := yaml.Unmarshal(monitoring(t, "prometheus-alerts.yaml"), &file); err != nil {
		t.Fatal(err)
	}
	known := scraped(t)
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			if r.Alert != "IndexerdDown" { // of Prometheus's own metric
				checkExpr(t, r.Alert, r.Expr, r.Annotations.Summary+r.Annotations.Description, known)
			}
		}
	}
}

// What the manual and the dashboards speak of is there.
func TestDocumentedMetrics(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`(indexerd_[a-z_]+)`").FindAllStringSubmatch(string(text), -1)
	if len(names) < 9 {
		t.Fatalf("only %d metrics found in the manual", len(names))
	}
	known := scraped(t)
	for _, n := range names {
		if known[n[1]] == nil && known[n[1]+"_count"] == nil {
			t.Errorf("the manual speaks of %s, which /metrics does not have", n[1])
		}
	}
}
