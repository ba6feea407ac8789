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

// metricLabels returns the labels of each metric of /metrics.
func metricLabels(t *testing.T) map[string][]string {
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

// checkExpr fails the test if an expression or its legend uses a metric or a
// label that /metrics does not have: its panel would stay empty.
func checkExpr(t *testing.T, where, expr, legend string, known map[string][]string) {
	t.Helper()
	metrics := regexp.MustCompile(`\bindexerd_\w+`).FindAllString(expr, -1)
	if len(metrics) == 0 {
		t.Errorf("%s uses no metric: %s", where, expr)
	}
	if strings.Count(expr, "(") != strings.Count(expr, ")") || strings.Count(expr, "{") != strings.Count(expr, "}") {
		t.Errorf("%s: unbalanced brackets: %s", where, expr)
	}
	for _, metric := range metrics {
		if known[metric] == nil {
			t.Errorf("%s uses %s, which /metrics does not have", where, metric)
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
				t.Errorf("%s: %s has no label %s, only %v", where, metric, label, known[metric])
			}
		}
	}
}

func monitoring(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "configs", "monitoring", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestGrafanaDashboardUsesExistingMetrics(t *testing.T) {
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
	known, ids, panels := metricLabels(t), map[int]bool{}, 0
	for _, v := range board.Templating.List {
		if q := strings.TrimPrefix(v.Query, "label_values("); q != v.Query {
			metric, label, _ := strings.Cut(strings.TrimSuffix(q, ")"), ", ")
			checkExpr(t, "variable "+v.Name, metric, "{{"+label+"}}", known)
		}
	}
	for _, p := range board.Panels {
		if ids[p.ID] {
			t.Errorf("%s: duplicate panel id %d", p.Title, p.ID)
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
		t.Errorf("got %d panels, want at least 20", panels)
	}
}

func TestAlertsUseExistingMetrics(t *testing.T) {
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
	known := metricLabels(t)
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			if r.Alert != "IndexerdDown" { // uses a metric of Prometheus itself
				checkExpr(t, r.Alert, r.Expr, r.Annotations.Summary+r.Annotations.Description, known)
			}
		}
	}
}

func TestDocumentedMetricsExist(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`(indexerd_[a-z_]+)`").FindAllStringSubmatch(string(text), -1)
	if len(names) < 9 {
		t.Fatalf("got %d metrics in docs/operations.md, want at least 9", len(names))
	}
	known := metricLabels(t)
	for _, n := range names {
		if known[n[1]] == nil && known[n[1]+"_count"] == nil {
			t.Errorf("docs/operations.md names %s, which /metrics does not have", n[1])
		}
	}
}
