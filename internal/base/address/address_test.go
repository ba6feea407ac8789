package address

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "indexerd/internal/test/nofailfile"
)

// The forms are those that documents of drivers, frameworks and hosts show.
func TestRead(t *testing.T) {
	const (
		notPostgres = "not an address of a PostgreSQL database"
		tooMany     = "unescaped @ or / in the user or password"
		noURL       = "not a valid URL"
		inMemory    = "in-memory database"
		noScheme    = "without a scheme"
		noDatabase  = " is no database that indexerd reads"
	)
	for _, c := range []struct {
		text   string
		driver string
		want   string // the DSN, "=" if it is the text; or, without a driver, a part of the error
		note   string
	}{
		// What the drivers read stays as it is, to the byte.
		{"postgres://localhost", "postgres", "=", ""},
		{"postgresql://app:p%40ss@db:5432/app?sslmode=disable&options=a%40b", "postgres", "=", ""},
		{"postgres://a:1,b:2/app?target_session_attrs=read-write", "postgres", "=", ""},
		{"postgres:///app?host=/run/postgresql", "postgres", "=", ""},
		{"postgres://u@h/d?application_name=x&search_path=a,b&app.tenant=1&TimeZone=UTC", "postgres", "=", ""},
		{"postgres://neon:x@ep-cool-1.eu.example/neondb?sslmode=require&channel_binding=require", "postgres", "=", ""},
		{"host=db dbname=app", "postgres", "=", ""},
		{"host = db  password = 'a b\\' c' user=x", "postgres", "=", ""},
		{"TimeZone=UTC user=a\\ b app.tenant=", "postgres", "=", ""},
		{"service=app", "postgres", "=", ""},
		{"mysql://u:p@h:3306/d?tls=true", "mysql", "=", ""},
		{"mariadb://u@h/d", "mysql", "=", ""},
		{"oracle://u@h:1521/svc?ssl=true", "oracle", "=", ""},
		{"sqlserver://u@h:1433?database=d&encrypt=strict", "sqlserver", "=", ""},
		{"shop.db", "sqlite", "=", ""},
		{"/srv/my shop.db", "sqlite", "=", ""},
		{"sqlite:///srv/x.db?mode=ro", "sqlite", "=", ""},
		{"sqlite:shop.db", "sqlite", "=", ""},
		{"file:shop.db?mode=ro", "sqlite", "=", ""},

		// SQLAlchemy, Django's URLs, asyncpg
		{"postgresql+psycopg2://u:p@h:5432/d", "postgres", "postgres://u:p@h:5432/d", ""},
		{"postgresql+asyncpg://u:p@h/d?ssl=require", "postgres", "postgres://u:p@h/d?sslmode=require", "read ssl as sslmode"},
		{"postgresql+psycopg://u@/d?host=/var/run/postgresql", "postgres", "postgres://u@/d?host=%2Fvar%2Frun%2Fpostgresql", ""},
		{"postgres+pg8000://u@h/d", "postgres", "postgres://u@h/d", ""},
		{"psql://u@h/d", "postgres", "postgres://u@h/d", ""},
		{"pgsql://u@h/d", "postgres", "postgres://u@h/d", ""},
		{"postgis://u:p%23w@h:5432/d", "postgres", "postgres://u:p%23w@h:5432/d", ""},
		{"POSTGRES://u@h/d", "postgres", "postgres://u@h/d", ""},
		{"mysql+pymysql://u:p@h/d?charset=utf8mb4", "mysql", "mysql://u:p@h/d", "ignored parameters of the address: charset"},
		{"mysql+mysqldb://u@h/d?unix_socket=/run/mysqld/mysqld.sock", "mysql", "mysql://u@h/d?socket=%2Frun%2Fmysqld%2Fmysqld.sock", "read unix_socket as socket"},
		{"mariadb+mariadbconnector://u@h/d", "mysql", "mysql://u@h/d", ""},
		{"mssql+pymssql://sa:p@h:1433/d", "sqlserver", "sqlserver://sa:p@h:1433?database=d", ""},
		{"mssql+pyodbc://sa:p@h/d?driver=ODBC+Driver+18+for+SQL+Server&TrustServerCertificate=yes", "sqlserver", "sqlserver://sa:p@h?database=d&trustservercertificate=true", "ignored parameters of the address: driver"},
		{"oracle+oracledb://u:p@h:1521/?service_name=svc", "oracle", "oracle://u:p@h:1521/svc", ""},
		{"oracle+cx_oracle://u:p@h:1521/svc", "oracle", "oracle://u:p@h:1521/svc", ""},
		{"sqlite:////srv/x.db", "sqlite", "sqlite:///srv/x.db", ""},
		{"sqlite+aiosqlite:////srv/x.db", "sqlite", "sqlite:///srv/x.db", ""},

		// Rails, Laravel
		{"mysql2://root@localhost/shop_development?pool=5&encoding=utf8mb4", "mysql", "mysql://root@localhost/shop_development", "ignored parameters of the address: encoding, pool"},
		{"trilogy://root@127.0.0.1/d?ssl_mode=REQUIRED", "mysql", "mysql://root@127.0.0.1/d?tls=skip-verify", "read ssl_mode as tls"},
		{"postgresql://u:p@h/d?pool=5&prepared_statements=false", "postgres", "postgres://u:p@h/d", "ignored parameters of the address: pool, prepared_statements"},
		{"sqlite3:db/development.sqlite3", "sqlite", "sqlite:db/development.sqlite3", ""},
		{"sqlite3:///srv/x.sqlite3", "sqlite", "sqlite:///srv/x.sqlite3", ""},

		// Prisma and others of JavaScript
		{"postgresql://u:p@h:5432/d?schema=public&connection_limit=5&pgbouncer=true", "postgres", "postgres://u:p@h:5432/d?search_path=public", "ignored parameters of the address: connection_limit, pgbouncer"},
		{"postgresql://u:p@h/d?sslaccept=strict&sslmode=require", "postgres", "postgres://u:p@h/d?sslmode=require", ""},
		{"postgres://u:p@h/d?ssl=true", "postgres", "postgres://u:p@h/d?sslmode=require", "read ssl as sslmode"},
		{"postgres://u:p@h/d?sslmode=no-verify", "postgres", "postgres://u:p@h/d?sslmode=require", ""},
		{"mysql://u:p@h:3306/d?sslaccept=strict&connect_timeout=10", "mysql", "mysql://u:p@h:3306/d?tls=true", "ignored parameters of the address: connect_timeout"},
		{"file:./dev.db?connection_limit=1", "sqlite", "file:./dev.db", "ignored parameters of the address: connection_limit"},
		{"mysql://u:p@h/d?ssl-mode=REQUIRED", "mysql", "mysql://u:p@h/d?tls=skip-verify", ""},
		{"mysql://u:p@h/d?sslmode=VERIFY_CA&ssl-ca=/ca.pem", "mysql", "mysql://u:p@h/d?ssl-ca=%2Fca.pem&tls=verify-ca", ""},

		// Java
		{"jdbc:postgresql://h:5432/d?user=u&password=p&currentSchema=s", "postgres", "postgres://u:p@h:5432/d?search_path=s", "read currentSchema as search_path"},
		{"postgres://u@h/d?pool=1&whatever=1", "postgres", "postgres://u@h/d", "ignored parameters of the address: pool, some that are not known"},
		{"jdbc:postgresql:d", "postgres", "postgres://localhost/d", ""},
		{"jdbc:postgresql://h/d?ssl=true&sslmode=verify-full&ApplicationName=x", "postgres", "postgres://h/d?sslmode=verify-full&application_name=x", "read ApplicationName as application_name"},
		{"jdbc:mysql://u:p@h:3306/d?useSSL=false&serverTimezone=UTC&allowPublicKeyRetrieval=true", "mysql", "mysql://u:p@h:3306/d?tls=false", "ignored parameters of the address: allowPublicKeyRetrieval, serverTimezone"},
		{"jdbc:mysql://h/d?user=u&password=p", "mysql", "mysql://u:p@h/d", ""},
		{"jdbc:mariadb://h:3306/d", "mysql", "mysql://h:3306/d", ""},
		{"jdbc:sqlserver://h:1433;databaseName=d;user=sa;password={a;b};encrypt=true;trustServerCertificate=true;loginTimeout=30", "sqlserver", "sqlserver://sa:a;b@h:1433?database=d&encrypt=true&trustservercertificate=true", "ignored parameters of the address: loginTimeout"},
		{`jdbc:sqlserver://h\SQLEXPRESS;databaseName=d`, "sqlserver", "sqlserver://h/SQLEXPRESS?database=d", ""},
		{"jdbc:oracle:thin:@//h:1521/svc", "oracle", "oracle://h:1521/svc", ""},
		{"jdbc:oracle:thin:@h:1521:ORCL", "oracle", "oracle://h:1521/?sid=ORCL", ""},
		{"jdbc:oracle:thin:scott/tiger@h:1521/svc", "oracle", "oracle://scott:tiger@h:1521/svc", ""},
		{"jdbc:sqlite:/srv/x.db", "sqlite", "sqlite:/srv/x.db", ""},
		{"jdbc:mysql:replication://a,b/d", "", "address of several servers", ""},
		{"jdbc:h2:mem:test", "", "h2" + noDatabase, ""},

		// .NET, ODBC, Go, SQL*Plus
		{"Server=tcp:h.database.windows.net,1433;Initial Catalog=d;User ID=u;Password=p;Encrypt=True;Connection Timeout=30;", "sqlserver", "sqlserver://u:p@h.database.windows.net:1433?database=d&encrypt=true", "ignored parameters of the address: Connection Timeout"},
		{`Data Source=.\SQLEXPRESS;Database=d;User Id=u;Password="p;q"`, "sqlserver", "sqlserver://u:p;q@localhost/SQLEXPRESS?database=d", ""},
		{"Driver={ODBC Driver 18 for SQL Server};Server=h;Database=d;Uid=u;Pwd=p", "sqlserver", "sqlserver://u:p@h?database=d", ""},
		{"Server=h;Database=d;Trusted_Connection=True;", "", "login by Windows", ""},
		{"Server=(localdb)\\mssqllocaldb;Database=d;User Id=u", "", "LocalDB", ""},
		{"Host=h;Port=5432;Database=d;Username=u;Password=p;SSL Mode=VerifyFull", "postgres", "postgres://u:p@h:5432/d?sslmode=verify-full", "read SSL Mode as sslmode"},
		{"Server=h;Port=3306;Database=d;Uid=u;Pwd=p;SslMode=Required", "mysql", "mysql://u:p@h:3306/d?tls=skip-verify", "read SslMode as tls"},
		{"Data Source=shop.db", "sqlite", "shop.db", ""},
		{"u:p@tcp(127.0.0.1:3306)/d?parseTime=true&tls=skip-verify", "mysql", "mysql://u:p@127.0.0.1:3306/d?tls=skip-verify", "ignored parameters of the address: parseTime"},
		{"u:p/@:w@tcp(h)/d", "mysql", "mysql://u:p%2F%40%3Aw@h/d", ""},
		{"u@unix(/run/mysqld/mysqld.sock)/d", "mysql", "mysql://u@localhost/d?socket=%2Frun%2Fmysqld%2Fmysqld.sock", ""},
		{"scott/tiger@h:1521/svc", "oracle", "oracle://scott:tiger@h:1521/svc", ""},
		{"scott/tiger@//h/svc", "oracle", "oracle://scott:tiger@h/svc", ""},

		// libpq, with what pgx does not know
		{"host=h dbname=d keepalives=1 gssencmode=disable", "postgres", "host=h dbname=d", "ignored parameters of the address: gssencmode, keepalives"},
		{"host=h user=u password='a b' sslcompression=0", "postgres", "host=h user=u password='a b'", "ignored parameters of the address: sslcompression"},
		{"hostaddr=10.0.0.1 dbname=d", "postgres", "dbname=d host=10.0.0.1", "read hostaddr as host"},

		// Around the address
		{"  postgres://u@h/d\n", "postgres", "postgres://u@h/d", ""},
		{`"postgres://u@h/d"`, "postgres", "postgres://u@h/d", ""},
		{"DATABASE_URL=postgres://u@h/d", "postgres", "postgres://u@h/d", ""},
		{`export DATABASE_URL="mysql2://u@h/d"`, "mysql", "mysql://u@h/d", ""},

		{"postgres://app:p@ss@db/app", "", tooMany, ""},
		{"postgres://app:p/ss@db/app", "", tooMany, ""},
		{"postgres://app:p%ss@db/app", "", noURL, ""},
		{"postgres://app:p#s@db/app", "", noURL, ""},
		{"postgres://app:p s@db/app", "", noURL, ""},
		{"postgres://u@h/d?ssl=maybe", "", "value of the parameter sslmode", ""},
		{"postgres:u@h/d", "", notPostgres, ""},
		{"password=x", "", notPostgres, ""},
		{"host=db and more", "", notPostgres, ""},
		{"host='db", "", notPostgres, ""},
		{"mongodb://u:p@h/d", "", "mongodb" + noDatabase + ": write postgres://user@host:port/database", ""},
		{"clickhouse://h:9000/d", "", "clickhouse" + noDatabase + ": write postgres://user@h:9000/database", ""},
		{"https://h.example/x", "", "https" + noDatabase, ""},
		{"postgress://u:p@h/d", "", "perhaps postgres: write", ""},
		{"db.example:5432/app", "", noScheme, ""},
		{"u:p@db.example/app", "", noScheme, ""},
		{":memory:", "", inMemory, ""},
		{"sqlite::memory:", "", inMemory, ""},
		{"file:x?mode=memory", "", inMemory, ""},
	} {
		got, err := Read("", c.text)
		want := c.want
		if want == "=" {
			want = c.text
		}
		switch {
		case c.driver == "":
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %+v, %v, want the error %q", c.text, got, err, want)
			}
		case err != nil || got.Driver != c.driver || got.DSN != want || !strings.Contains(strings.Join(got.Notes, "; "), c.note) || c.note == "" && c.want == "=" && got.Notes != nil:
			t.Errorf("%s:\ngot  %s %s %q, %v\nwant %s %s %q", c.text, got.Driver, got.DSN, got.Notes, err, c.driver, want, c.note)
		}
	}
}

// The driver of a configuration decides what a text without a scheme is.
func TestReadOfADriver(t *testing.T) {
	for _, c := range []struct{ driver, text, want, wrong string }{
		{"sqlite", "a=b.db", "a=b.db", ""},
		{"sqlite", "h:5432/d", "h:5432/d", ""},
		{"sqlite", "postgres://db/app", "", "not a path of a SQLite database"},
		{"postgres", "mysql://db/app", "", "not an address of a PostgreSQL database"},
		{"postgres", "db.example", "", "not an address of a PostgreSQL database"},
		{"postgres", "=x", "", "not an address of a PostgreSQL database"},
		{"mysql", "shop.db", "", "not an address of a MySQL or MariaDB database"},
		{"mysql", "mysql2://u@h/d", "mysql://u@h/d", ""},
	} {
		got, err := Read(c.driver, c.text)
		if got.DSN != c.want || c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%s %s: got %+v, %v, want %q, %q", c.driver, c.text, got, err, c.want, c.wrong)
		}
	}
}

// Three slashes are an absolute path, or, if only that exists, a relative one.
func TestThreeSlashes(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("only-here.db", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Read("", "sqlite:///only-here.db")
	if err != nil || got.DSN != "sqlite:only-here.db" || len(got.Notes) != 1 {
		t.Errorf("got %+v, %v, want the relative path and a note", got, err)
	}
	absolute := "sqlite://" + filepath.Join(dir, "only-here.db")
	if got, err := Read("", absolute); err != nil || got.DSN != absolute || got.Notes != nil {
		t.Errorf("got %+v, %v, want %s", got, err, absolute)
	}
}

// No error and no note shows a part of a password, whatever the form and the password.
func TestNothingShowsAPassword(t *testing.T) {
	const canary = "c4n4ry"
	forms := []string{
		"postgres://app:%s@db/app", "%s://app:x@db/app", "foo://app:%s@db/app", "foo://h/%s", "postgresql+asyncpg://u:%s@h/d?pool=1", "mysql2://u:%s@h/d?%s=1", "jdbc:postgresql://h/d?password=%s",
		"jdbc:sqlserver://h;password=%s;databaseName=d", "jdbc:oracle:thin:u/%s@h:1521/s", "Server=h;Database=d;User Id=u;Password=%s;", "Server=h;Password=%s;Trusted_Connection=yes", "u:%s@tcp(h)/d",
		"u/%s@h:1521/s", "host=db password=%s dbname=app", "host=db password='%s' x", "u:%s@h/d", "DATABASE_URL=foo://u:%s@h/d", "Data Source=h;%s", "mysql://u:p@h/d?tls=%s", "sqlite:///no/such/x.db?%s=1",
	}
	special := rapid.StringMatching(`[,:;@/?#%&*!'"\\ ={}$|>.()-]{0,4}`)
	rapid.Check(t, func(t *rapid.T) {
		password := special.Draw(t, "before") + canary + special.Draw(t, "after")
		text := strings.ReplaceAll(rapid.SampledFrom(forms).Draw(t, "form"), "%s", password)
		a, err := Read(rapid.SampledFrom([]string{"", "postgres", "mysql", "sqlite"}).Draw(t, "driver"), text)
		if seen := fmt.Sprint(a.Notes, err); strings.Contains(seen, canary) {
			t.Fatalf("%s: the password is in %s", text, seen)
		}
	})
}
