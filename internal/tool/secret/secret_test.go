package secret

import (
	"strings"
	"testing"

	_ "indexerd/internal/test/nofailfile"
)

// The names are of public schemas: what a person may search, and what no search shows.
func TestOfName(t *testing.T) {
	for _, c := range []struct {
		schema, table string
		secret        string // columns that are left out
		searched      string // columns that are not; a name with :n is a number, with :d a date or a boolean
	}{
		{"Zabbix", "sessions", "sessionid secret", "userid status lastaccess:n"},
		{"Zabbix", "hosts", "tls_psk ipmi_password tls_psk_identity", "host name description proxyid tls_issuer tls_subject"},
		{"Zabbix", "interface_snmp", "community authpassphrase privpassphrase", "securityname contextname version:n"},
		{"Zabbix", "hostmacro", "value", "macro description hostmacroid"},
		{"Zabbix", "users", "passwd", "username name surname url lang theme attempt_ip"},
		{"Zabbix", "token", "token", "name description"},
		{"MediaWiki", "user", "user_password user_newpassword user_token user_email_token", "user_name user_real_name user_email user_touched"},
		{"MediaWiki", "bot_passwords", "bp_password bp_token", "bp_app_id bp_grants"},
		{"MediaWiki", "page", "", "page_title page_content_model page_random:n page_is_redirect:d"},
		{"WordPress", "wp_users", "user_pass user_activation_key", "user_login user_nicename user_email display_name"},
		{"WordPress", "wp_posts", "post_password", "post_title post_content post_excerpt post_status"},
		{"Request Tracker", "Users", "Password AuthToken", "Name Comments Organization EmailAddress Gecos Lang"},
		{"Request Tracker", "sessions", "a_session", "LastUpdated:d"},
		{"Roundcube", "session", "sess_id", "ip"},
		{"Roundcube", "users", "", "username mail_host language preferences"},
		{"Matrix Synapse", "access_tokens", "token", "device_id user_id"},
		{"Matrix Synapse", "e2e_room_keys", "session_data session_id", "room_id user_id"},
		{"Matrix Synapse", "e2e_device_keys_json", "key_json", "device_id"},
		{"Matrix Synapse", "users", "password_hash", "name admin:n"},
		{"Django", "django_session", "session_key session_data", "expire_date:d"},
		{"Django", "auth_user", "password", "username first_name email last_login:d"},
		{"Django OAuth Toolkit", "oauth2_provider_grant", "code_challenge_token nonce", "redirect_uri scope"},
		{"Devise (Rails)", "users", "encrypted_password reset_password_token confirmation_token unlock_token current_sign_in_token otp_secret otp_backup_codes", "email sign_in_count:n current_sign_in_ip reset_password_sent_at:d"},
		{"Mastodon", "users", "otp_secret encrypted_otp_secret_iv encrypted_otp_secret_salt webauthn_secret", "locale chosen_languages time_zone"},
		{"Mastodon", "accounts", "private_key", "username display_name note public_key"},
		{"Mastodon", "oauth_access_grants", "token", "scopes redirect_uri"},
		{"Discourse", "users", "password_hash salt", "username name title views:n"},
		{"Discourse", "user_auth_tokens", "auth_token prev_auth_token", "client_ip user_agent"},
		{"Gitea", "user", "passwd salt rands_token", "lower_name full_name email description"},
		{"Gitea", "webhook", "secret header_authorization_token", "url events"},
		{"GitLab", "users", "encrypted_password incoming_email_token feed_token static_object_token", "bio linkedin website_url color_scheme_id:n"},
		{"Laravel", "users", "remember_token two_factor_secret two_factor_recovery_codes", "name email"},
		{"Laravel", "personal_access_tokens", "token", "name abilities"},
		{"Keycloak", "credential", "secret_data credential_data value", "type user_label priority:n"},
		{"Keycloak", "client", "secret registration_token", "client_id name description base_url"},
		{"Nextcloud", "oc_authtoken", "token private_key password", "login_name name"},
		{"Nextcloud", "oc_preferences", "", "userid appid configkey configvalue"},
		{"phpBB", "phpbb_users", "user_password user_newpasswd user_form_salt user_actkey_token", "username user_email user_sig user_interests"},
		{"ejabberd", "users", "password serverkey_token salt", "username server_host iterationcount:n"},
		{"ejabberd", "oauth_token", "token", "jid scope"},
		{"Icinga DB", "icingaweb_user", "password_hash", "name active:n"},
		{"Cacti", "host", "snmp_community snmp_password snmp_priv_passphrase", "description hostname notes snmp_username"},
		{"Odoo", "res_users", "password totp_secret signature", "login notification_type"},
		{"Odoo", "payment_token", "acquirer_ref_token", "name"},
		{"Magento", "customer_entity", "password_hash rp_token", "email firstname lastname"},
		{"Magento", "sales_order_payment", "cc_number_enc_hash cc_cid_encrypted", "cc_owner cc_type method additional_information"},
		{"Sakila", "staff", "password", "first_name email username"},
		{"Sakila", "film", "", "title description special_features rating release_year:n"},
		{"AdventureWorks", "Person.Password", "PasswordHash PasswordSalt", "BusinessEntityID:n ModifiedDate:d"},
		{"AdventureWorks", "Sales.CreditCard", "CardNumber", "CardType ExpMonth:n"},
		{"OAuth servers", "oauth_codes", "authorization_code clientSecret refreshToken accessToken", "client_id redirect_uri"},
		{"pretix", "device", "api_token initialization_token", "name security_profile hardware_model"},
		{"vaults", "items", "encrypted_url encrypted_url_iv cipher_text_iv", "folder favorite:d"},
		{"payments", "accounts", "iban ssn cvv pin:n", "holder bank bic"},
		{"conferences", "talks", "", "session_title session_abstract passed:d access_level key_points seed_funding"},
		{"people", "staff", "", "secretary secretary_name passport_country hashtag pinned compass salted_butter invite_count:n"},
		{"statistics", "usage", "", "token_count:n password_changed_at:d session_count:n tokens_used:n hash_algorithm password_hint token_type"},
		{"products", "item", "license_key apikey webhook_url", "license license_name api_version seedling"},
	} {
		for name := range strings.FieldsSeq(c.secret) {
			name, kind := kinded(name)
			if OfName(c.table, name, kind) == "" {
				t.Errorf("%s %s.%s: not taken for a secret", c.schema, c.table, name)
			}
		}
		for name := range strings.FieldsSeq(c.searched) {
			name, kind := kinded(name)
			if why := OfName(c.table, name, kind); why != "" {
				t.Errorf("%s %s.%s: left out, as %s", c.schema, c.table, name, why)
			}
		}
	}
}

func kinded(name string) (string, Kind) {
	name, kind, _ := strings.Cut(name, ":")
	return name, map[string]Kind{"n": Number, "d": Other}[kind]
}

func TestOfValues(t *testing.T) {
	for _, c := range []struct {
		name       string
		identifier bool
		values     []string
		want       string // a part of the reason; "" for none
	}{
		{"texts", false, []string{"a red car", "two cars", "the third"}, ""},
		{"one JWT among texts", false, []string{"hello", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"}, "a JWT"},
		{"a text about a JWT", false, []string{"the header eyJhbGciOiJIUzI1NiJ9 is the usual one"}, ""},
		{"a key in PEM", false, []string{"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"}, "PEM"},
		{"bcrypt", false, []string{"$2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"}, "bcrypt"},
		{"argon2", false, []string{"$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b9dWRWJTmaaJObG"}, "hash"},
		{"Django", false, []string{"pbkdf2_sha256$260000$abcdefghijkl$UYcjMRPj6PNr0CxqhKZvgQ5B4jyb0FBhTdWrbp8k0ZE="}, "hash"},
		{"crypt", false, []string{"$6$rounds=5000$saltsalt$hashhashhash"}, "hash"},
		{"GitHub", false, []string{"ghp_0123456789abcdefghij0123456789ABCDEF"}, "token"},
		{"random hex", false, []string{"9f86d081884c7d659a2feaa0c55ad015", "60303ae22b998861bce3b28f33eec1be", "fcde2b2edba56bf408601fb721fe9b5c"}, "hex"},
		{"UUIDs in hex of an identifier", true, []string{"9f86d081884c7d659a2feaa0c55ad015", "60303ae22b998861bce3b28f33eec1be", "fcde2b2edba56bf408601fb721fe9b5c"}, ""},
		{"UUIDs", false, []string{"123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174001", "123e4567-e89b-12d3-a456-426614174002"}, ""},
		{"hex of several lengths", false, []string{"9f86d081884c7d659a2feaa0c55ad015", "60303ae22b99", "fcde2b2edba56bf408601fb721fe9b5c00"}, ""},
		{"random base64", false, []string{"kZ3q9XbYt0aPq7LmWc2RfA==", "Zx81LkqPo0aWnB5TyVd3cQ==", "mN4bVcX9zLkJhG7fDsA2pQ=="}, "base64"},
		{"words of one length", false, []string{"internationalisation-alpha", "internationalisation-gamma", "internationalisation-delta"}, ""},
		{"card numbers", false, []string{"4111 1111 1111 1111", "5500-0000-0000-0004", "340000000000009"}, "card numbers"},
		{"numbers of articles", false, []string{"4006381333931", "4012345678901", "5901234123457"}, ""},
		{"phone numbers", false, []string{"4915112345678", "4915187654321", "4917612345678"}, ""},
		{"IBANs", false, []string{"DE89370400440532013000", "GB29NWBK60161331926819", "FR1420041010050500013M02606"}, "IBANs"},
		{"two of a kind are too few", false, []string{"9f86d081884c7d659a2feaa0c55ad015", "60303ae22b998861bce3b28f33eec1be"}, ""},
		{"nothing", false, nil, ""},
	} {
		if got := OfValues(c.values, c.identifier); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestOfTable(t *testing.T) {
	for _, c := range []struct{ table, columns, want string }{
		{"django_session", "session_key session_data expire_date", "sessions"},
		{"phpbb_sessions", "session_id session_ip", "sessions"},
		{"sessions", "title speaker room", ""}, // of a conference
		{"jobs", "id queue payload attempts", "a queue of jobs"},
		{"JOBS", "job_id job_title min_salary", ""}, // Oracle's HR
		{"failed_jobs", "uuid connection queue payload exception", "a queue of jobs"},
		{"schema_migrations", "version", "migrations of the schema"},
		{"__EFMigrationsHistory", "MigrationId", "migrations of the schema"},
		{"migrations", "bird from to", ""},
		{"cache_locks", "key owner expiration", "a cache"},
		{"oauth_access_tokens", "id scopes", "tokens"},
		{"login_attempts", "ip", "rate limits"},
		{"film", "title", ""},
		{"queue", "song added_by", ""},
	} {
		if got := OfTable(c.table, strings.Fields(c.columns)); got != c.want {
			t.Errorf("%s (%s): got %q, want %q", c.table, c.columns, got, c.want)
		}
	}
}
