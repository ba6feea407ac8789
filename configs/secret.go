package configs

import (
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
)

// readSecret sets secret, the value of the key path, from file unless it is
// already set or there is no file. It returns the path of the key that the
// secret comes from: path, or path with _file at its end.
func (r *reader) readSecret(path, file string, secret *string) (from string) {
	if file == "" || *secret != "" {
		return path
	}
	path += "_file"
	text, wrong := r.secretLine(file)
	if wrong != "" {
		r.wrong(path, wrong, "name a file of one line that only its owner can read (chmod 600)")
	}
	*secret = text
	return path
}

// secretLine returns the content of a file of one line, or what is wrong with
// it. The text shows neither the content of the file nor its name, which may
// come from the environment.
func (r *reader) secretLine(file string) (secret, wrong string) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return "", "file can't be read: " + reason(err)
	case !info.Mode().IsRegular():
		return "", "not a regular file"
	case info.Mode().Perm()&0o077 != 0 && !r.isCredential(file):
		return "", "file is readable by users other than its owner"
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", "file can't be read: " + reason(err)
	}
	secret = strings.TrimSpace(string(data))
	switch {
	case secret == "":
		return "", "file is empty"
	case strings.ContainsAny(secret, "\r\n"):
		return "", "file has more than one line"
	}
	return secret, ""
}

// checkUser reports a section that has a user without a password, or the reverse.
func (r *reader) checkUser(section, user, passwordFile string) {
	switch {
	case user != "" && passwordFile == "":
		r.wrong(section+".user", "password is missing", "name a password_file")
	case user == "" && passwordFile != "":
		r.wrong(section+".password_file", "user is missing", "write user")
	}
}

// readCA returns the certificates of a section's ca_file; nil: it names none.
func (r *reader) readCA(section, file string) []byte {
	if file == "" {
		return nil
	}
	pem, err := os.ReadFile(file)
	switch {
	case err != nil:
		r.wrong(section+".ca_file", "file can't be read: "+reason(err), "name a PEM file that can be read")
	case !x509.NewCertPool().AppendCertsFromPEM(pem):
		r.wrong(section+".ca_file", "no certificate in the file", "name a file with certificates in PEM")
	default:
		return pem
	}
	return nil
}

// isCredential reports whether the file is a systemd credential. systemd gives
// the service's user access by an ACL, which makes the file look readable by its
// group.
func (r *reader) isCredential(file string) bool {
	dir, set := r.getenv("CREDENTIALS_DIRECTORY")
	return set && filepath.IsAbs(dir) && filepath.Dir(file) == filepath.Clean(dir)
}
