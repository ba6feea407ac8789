package address

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// A rule says what becomes of a parameter: it has another name, and its values may have
// other names too. Parameters without a rule are left out and named.
type rule struct {
	name   string            // "": the parameter's own
	values map[string]string // by the value in lower case; nil: all stay
}

var (
	kept = rule{}

	// The forms in which clients of MySQL say how much TLS they want.
	mysqlTLS = rule{"tls", map[string]string{
		"true": "skip-verify", "1": "skip-verify", "required": "skip-verify", "require": "skip-verify", "skip-verify": "skip-verify", "accept_invalid_certs": "skip-verify",
		"false": "false", "0": "false", "disabled": "false", "disable": "false", "none": "false",
		"preferred": "preferred", "prefer": "preferred",
		"verify_ca": "verify-ca", "verify-ca": "verify-ca", "verifyca": "verify-ca",
		"verify_identity": "true", "verify-full": "true", "verifyfull": "true", "strict": "true",
	}}
	postgresTLS = rule{"sslmode", map[string]string{
		"true": "require", "1": "require", "false": "disable", "0": "disable", "disable": "disable", "allow": "allow", "prefer": "prefer", "require": "require",
		"verify-ca": "verify-ca", "verifyca": "verify-ca", "verify-full": "verify-full", "verifyfull": "verify-full", "strict": "verify-full", "accept_invalid_certs": "require",
		"no-verify": "require",
	}}
)

// rules has the parameters of each driver, by name in lower case.
var rules = map[string]map[string]rule{
	"postgres": withNames(map[string]rule{
		"sslmode": postgresTLS, "ssl": postgresTLS, "ssl mode": postgresTLS, "sslaccept": postgresTLS,
		"schema": {name: "search_path"}, "currentschema": {name: "search_path"}, "search path": {name: "search_path"},
		"applicationname": {name: "application_name"}, "application name": {name: "application_name"},
		"logintimeout": {name: "connect_timeout"}, "connecttimeout": {name: "connect_timeout"}, "hostaddr": {name: "host"},
	}, "host", "port", "dbname", "database", "user", "password", "passfile", "connect_timeout", "timezone", "sslkey", "sslcert", "sslcertmode", "sslrootcert", "sslnegotiation",
		"sslpassword", "sslsni", "krbspn", "krbsrvname", "target_session_attrs", "service", "servicefile", "min_protocol_version", "max_protocol_version",
		"channel_binding", "require_auth", // those above are the driver's, those below are settings of a session
		"application_name", "search_path", "options", "client_encoding", "datestyle", "intervalstyle", "extra_float_digits", "statement_timeout", "lock_timeout",
		"idle_in_transaction_session_timeout", "idle_session_timeout", "transaction_timeout", "tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count",
		"tcp_user_timeout", "default_transaction_read_only", "default_transaction_isolation", "work_mem", "temp_buffers", "role", "session_authorization", "row_security",
		"jit", "geqo", "plan_cache_mode", "force_parallel_mode", "max_parallel_workers_per_gather", "log_statement", "log_min_duration_statement", "lc_messages"),
	"mysql": withNames(map[string]rule{
		"sslmode": mysqlTLS, "ssl-mode": mysqlTLS, "ssl_mode": mysqlTLS, "ssl mode": mysqlTLS, "ssl": mysqlTLS, "usessl": mysqlTLS, "sslaccept": mysqlTLS,
		"ssl_ca": {name: "ssl-ca"}, "sslca": {name: "ssl-ca"}, "sslcert": {name: "ssl-ca"}, "ssl ca": {name: "ssl-ca"}, "cafile": {name: "ssl-ca"},
		"serverrsapublickeyfile": {name: "server-public-key-path"}, "unix_socket": {name: "socket"}, "user": {name: "user"}, "password": {name: "password"},
	}, "tls", "ssl-ca", "server-public-key-path", "socket"),
	"oracle": withNames(map[string]rule{"service_name": {name: "service"}}, "ssl", "ssl verify", "wallet", "sid", "connect timeout"),
	"sqlserver": withNames(map[string]rule{
		"databasename": {name: "database"}, "initial catalog": {name: "database"}, "trust server certificate": {name: "trustservercertificate"},
		"user": {name: "user"}, "username": {name: "user"}, "user id": {name: "user"}, "password": {name: "password"},
		"host name in certificate": {name: "hostnameincertificate"}, "multi subnet failover": {name: "multisubnetfailover"},
	}, "database", "encrypt", "trustservercertificate", "certificate", "servercertificate", "hostnameincertificate",
		"tlsmin", "applicationintent", "multisubnetfailover", "failoverpartner", "failoverport"),
}

func withNames(more map[string]rule, names ...string) map[string]rule {
	all := map[string]rule{}
	for _, name := range names {
		all[name] = kept
	}
	for name, r := range more {
		all[name] = r
	}
	return all
}

// foreignNames are parameters of other programs, in lower case and without spaces.
var foreignNames = strings.Fields(`
	adapter allowmultiqueries allowpublickeyretrieval app applicationintent async autoreconnect cache charset characterencoding checkout_timeout checkparameters
	collation connection_limit connectionlifetime connectiontimeout connectionlimit connect_timeout conn_max_age connectretrycount driver encoding failover
	fallback_application_name fetchsize gssencmode gsslib immutable interpolateparams journal_mode keepalive keepalives keepalives_count keepalives_idle
	keepalives_interval loc logintimeout max_lifetime maxlifetime maxpoolsize max_idle_connections maximumpoolsize mars mars_connection minpoolsize minimumpoolsize
	multipleactiveresultsets multistatements odbc_driver options packetsize parsetime persistsecurityinfo pgbouncer pool pool_max_conns pool_mode pool_size pool_timeout
	poolsize pooling prepared_statements preparethreshold profilesql protocol readtimeout reaping_frequency reconnect replication requiressl requirepeer
	rewritebatchedstatements rewritebatchedinserts schema serverselectiontimeout servertimezone sendstringparametersasunicode socket_timeout sockettimeout
	sslcompression sslcrl sslcrldir sslfactory sslidentity sslpassword ssl_min_protocol_version ssl_max_protocol_version statement_cache_size stringtype supa
	tcp_user_timeout tcpkeepalive timeout timezone tinyint1isbit trusted_connection type useaffectedrows uselegacydatetimecode useunicode variables
	verifyservercertificate version workaround writetimeout zerodatetimebehavior`)

// translate keeps the parameters of the driver and translates those of other programs.
// It reports whether anything is different then. A parameter under its own name counts
// before its translations, such as sslmode before ssl.
func (r *reading) translate() (changed bool, err error) {
	slices.SortStableFunc(r.parameters, func(a, b parameter) int { return cmp.Compare(r.rank(a), r.rank(b)) })
	var kept []parameter
	var ignored []string
	for _, p := range r.parameters {
		to, ok, err := r.ruleOf(p)
		switch {
		case err != nil:
			return false, err
		case !ok:
			ignored = append(ignored, p.name)
			continue
		case r.take(to):
			changed = changed || to.name != "database" || to != p
			continue
		case slices.ContainsFunc(kept, func(q parameter) bool { return q.name == to.name }):
			changed = true
			continue
		case !strings.EqualFold(to.name, p.name):
			r.notes = append(r.notes, "read "+p.name+" as "+to.name)
		}
		changed = changed || to != p
		kept = append(kept, to)
	}
	if note := ignoring(ignored); note != "" {
		r.notes = append(r.notes, note)
	}
	r.parameters = kept
	return changed || len(ignored) > 0, nil
}

// rank is 0 for a parameter under its own name.
func (r *reading) rank(p parameter) int {
	if to := rules[r.driver][strings.ToLower(p.name)]; to.name == "" || strings.EqualFold(to.name, p.name) {
		return 0
	}
	return 1
}

// take reads a parameter that belongs to another part of the address.
func (r *reading) take(p parameter) bool {
	switch {
	case p.name == "database" && r.driver == "sqlserver":
		r.database = p.value
	case p.name == "service" && r.driver == "oracle":
		r.database = p.value
	case r.driver == "postgres" && p.name != "user" && p.name != "password" || r.keywords:
		return false
	case p.name == "user":
		r.user = p.value
	case p.name == "password":
		r.password, r.hasPassword = p.value, true
	default:
		return false
	}
	return true
}

// ruleOf returns what a parameter becomes, or false if it is left out.
func (r *reading) ruleOf(p parameter) (_ parameter, ok bool, _ error) {
	lower := strings.ToLower(p.name)
	to, known := rules[r.driver][lower]
	if !known {
		// A name with a dot is a setting of the application.
		return p, r.driver == "postgres" && (strings.Contains(lower, ".") || strings.HasPrefix(lower, "enable_")), nil
	}
	name, value := cmp.Or(to.name, lower), p.value
	if strings.EqualFold(name, p.name) && r.driver == "postgres" {
		name = p.name
	}
	if r.driver == "sqlserver" && (name == "encrypt" || name == "trustservercertificate") {
		value = cmp.Or(map[string]string{"yes": "true", "no": "false"}[strings.ToLower(value)], strings.ToLower(value))
	}
	if to.values != nil {
		if value, ok = to.values[strings.ToLower(strings.Trim(value, "'"))]; !ok {
			return p, false, &Error{"value of the parameter " + name + " that is not known", "write " + strings.Join(slices.Compact(slices.Sorted(maps.Values(to.values))), ", ")}
		}
	}
	return parameter{name, value}, true, nil
}
