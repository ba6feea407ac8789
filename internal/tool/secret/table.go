package secret

import (
	"slices"
	"strings"
)

// A use is what tables hold that no person searches.
type use struct {
	what  string
	names map[string]bool // that applications and frameworks give such tables
	ends  []string        // of names
	// Words of columns, of which a table has one: jobs may be vacancies, and sessions
	// the talks of a conference. nil: the name is enough.
	columns map[string]bool
}

var uses = []use{
	{"sessions", wordsOf("session sessions django_session ci_sessions user_sessions web_sessions active_sessions sess"), []string{"_session", "_sessions", "_sessions_keys"},
		wordsOf("sid sess token cookie expire expires expired expiry payload agent ip csrf sessionid session_key session_data userid timeout hash key")},
	{"a cache", wordsOf("cache caches cache_locks objectcache l10n_cache querycache querycachetwo querycache_info cache_tags page_cache"), []string{"_cache", "_caches", "_cache_entries"}, nil},
	{"a queue of jobs", wordsOf("job jobs job_batches failed_jobs delayed_jobs queue queues que_jobs good_jobs oban_jobs background_jobs"), []string{"_queue", "_job_queue", "_jobs_queue", "_queue_item", "_queue_items", "_jobs", "_job"},
		wordsOf("payload handler queue attempts attempt run locked reserved worker retries cmd args")},
	{"migrations of the schema", wordsOf("migrations migration schema_version"), []string{"_migrations"}, wordsOf("migration batch version applied checksum")},
	{"migrations of the schema", wordsOf(`schema_migrations schema_migration ar_internal_metadata flyway_schema_history databasechangelog databasechangeloglock
		alembic_version django_migrations knex_migrations knex_migrations_lock sequelizemeta doctrine_migration_versions goose_db_version __efmigrationshistory
		phinxlog schemaversion dbversion updatelog`), []string{"_schema_migrations"}, nil},
	{"rate limits", wordsOf("rate_limits rate_limit throttle throttles login_attempts bruteforce_attempts"), []string{"_rate_limits", "_ratelimits", "_throttle"}, nil},
	{"tokens", wordsOf("password_resets password_reset_tokens personal_access_tokens authtoken_token refresh_tokens"),
		[]string{"_password_resets", "_access_tokens", "_access_token", "_refresh_tokens", "_refresh_token", "_authorization_code", "_authorization_codes", "_access_grants"}, nil},
	{"locks", wordsOf("locks lock advisory_locks shedlock"), []string{"_locks"}, wordsOf("owner expiration expires locked until acquired")},
}

// OfTable returns what a table holds that no person searches, by its name and those of its
// columns; "": it may be searched.
func OfTable(name string, columns []string) (what string) {
	name = strings.ToLower(name)
	for _, u := range uses {
		if !u.names[name] && !slices.ContainsFunc(u.ends, func(end string) bool { return strings.HasSuffix(name, end) }) {
			continue
		}
		shows := func(column string) bool {
			return slices.ContainsFunc(split(column), func(part string) bool { return u.columns[part] })
		}
		if u.columns == nil || slices.ContainsFunc(columns, shows) {
			return u.what
		}
	}
	return ""
}
