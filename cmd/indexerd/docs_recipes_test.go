package main

import (
	"path/filepath"
	"strings"
	"testing"

	"indexerd/internal/source/sqlite"
	"indexerd/internal/test/mariatest"
	"indexerd/internal/test/pgtest"
	"indexerd/internal/test/pgtest/films"
)

// shop has the tables of the recipes that do not select films.
const shop = `
	CREATE TABLE article (id bigint PRIMARY KEY, updated_at timestamptz, title text, body text, state text, published boolean, internal boolean);
	CREATE TABLE article_tag (article_id bigint, tagged_at timestamptz, tag text);
	CREATE TABLE price (article_id bigint, valid_from timestamptz, amount numeric);
	CREATE TABLE article_gone (article_id bigint PRIMARY KEY, deleted_at timestamptz);
	CREATE TABLE customer (id bigint PRIMARY KEY, updated_at timestamptz, name text, deleted_at timestamptz);
	CREATE TABLE orders (tenant text, number int, updated_at timestamptz, customer text, PRIMARY KEY (tenant, number));
	CREATE TABLE order_line (tenant text, order_number int, updated_at timestamptz, article text);
	CREATE TABLE contract (id bigint PRIMARY KEY, updated_at timestamptz, title text, body text);
	CREATE TABLE contract_group (contract_id bigint, group_name text, granted_at timestamptz, revoked_at timestamptz);
	CREATE TABLE legacy_article (id bigint PRIMARY KEY, changed timestamp, title text);
	CREATE TABLE log (level text, happened timestamptz, body text);
	CREATE TABLE parcel (id bigint PRIMARY KEY, updated_at timestamptz, data jsonb, note text, tags text, during tstzrange);
	INSERT INTO log VALUES ('info', now(), 'tea'), ('info', now(), 'tea');
	INSERT INTO article VALUES (1, now(), 'tea', 'green', 'new', true, false);
	CREATE TABLE ticket (id int PRIMARY KEY, updated_at timestamptz, subject text, tenant_id int, owner text, visible boolean);
	INSERT INTO ticket VALUES (1, now(), 'tea', 7, 'ann', true);
	INSERT INTO contract VALUES (1, now(), 'tea', 'delivery');
	INSERT INTO contract_group VALUES (1, 'sales', now(), NULL), (1, 'staff', now(), now());
	INSERT INTO orders VALUES ('acme', 1001, now(), 'Bo');
	INSERT INTO parcel VALUES (1, now(), '{"address": {"city": "Berlin"}, "lines": [{"sku": "tea"}]}', '{}', '["red","new"]', '[2024-01-01, 2024-02-01)');
	INSERT INTO order_line VALUES ('acme', 1001, now(), 'tea');
	INSERT INTO legacy_article VALUES (1, '2024-10-27 02:30', 'twice in Berlin')`

// TestRecipes: a recipe is for copying. Each is a whole file, and the database
// takes each of its SQLs for what it is said to be.
func TestRecipes(t *testing.T) {
	t.Parallel()
	sample, own := films.DB(t), pgtest.DB(t)
	pgtest.Exec(t, own, shop)
	till := filepath.Join(t.TempDir(), "till.db")
	db, err := sqlite.OpenWritable(till)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE receipt (id INTEGER PRIMARY KEY, changed TEXT, items TEXT)"); err != nil {
		t.Fatal(err)
	}
	recipes := 0
	for _, b := range blocks(t, "docs/recipes.md", "") {
		if b.lang != "yaml" || strings.Contains(b.text, "driver: oracle") || strings.Contains(b.text, "driver: sqlserver") { // no server of them runs here
			continue
		}
		dsn := own
		if strings.Contains(b.text, "driver: mysql") {
			dsn = mariatest.New(t).DB(t)
			mariatest.Exec(t, dsn, "CREATE TABLE article (id INT PRIMARY KEY, changed DATETIME(6), title TEXT, KEY (changed, id))")
		}
		if strings.Contains(b.text, "\n  pagila:") {
			dsn = sample
		}
		file := writeFile(t, strings.NewReplacer("/var/lib/indexerd", t.TempDir(), "/srv/till/till.db", till).Replace(b.text))
		if stdout, stderr, code := runHere(t, map[string]string{"DSN": dsn, "MYSQL_DSN": dsn, "OPS_TOKEN": opsToken, "SALES_TOKEN": salesToken, "SHOP_KEY": shopKey}, "check", "-c", file); code != 0 {
			t.Errorf("%s: exit %d\n%s%s", b.at, code, stdout, stderr)
		}
		recipes++
	}
	if recipes < 10 {
		t.Errorf("only %d recipes were found", recipes)
	}
}
