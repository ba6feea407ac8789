#!/bin/sh
# Parses the statements of the dialects whose servers can't run here by ANTLR's grammars
# for Oracle and SQL Server, which a directory has: parse.sh DIRECTORY. The parsers are
# built once, which takes minutes.
set -eu
cd "$(dirname "$0")/../../.."
from=$1 version=4.13.2
jar=$HOME/.m2/repository/org/antlr/antlr4/$version/antlr4-$version-complete.jar
built=${XDG_CACHE_HOME:-$HOME/.cache}/indexerd-grammars

test -e "$from" || { echo "no grammars in $from: make grammars GRAMMARS=DIRECTORY, with plsql and tsql of github.com/antlr/grammars-v4" >&2; exit 1; }
test -e "$jar" || mvn -q -B dependency:get -Dtransitive=false -Dartifact=org.antlr:antlr4:$version:jar:complete
for grammar in plsql tsql; do
	test ! -e "$built/$grammar" || continue
	sources=$(mktemp -d)
	mkdir "$sources/$grammar"
	cp "$from/$grammar"/* "$sources/$grammar"
	for base in "$sources/$grammar"/*.java; do
		test ! -e "$base" || sed -i "s,^///{packageLine},package $grammar;," "$base"
	done
	(
		cd "$sources/$grammar"
		java -jar "$jar" -Dlanguage=Java -no-listener -no-visitor -package $grammar ./*Lexer.g4
		java -jar "$jar" -Dlanguage=Java -no-listener -no-visitor -package $grammar -lib . ./*Parser.g4
	) 2>"$sources/warnings" || { cat "$sources/warnings"; exit 1; }
	mkdir -p "$built"
	javac -J-Xmx900m -nowarn -cp "$jar" -d "$sources/classes" "$sources/$grammar"/*.java
	mv "$sources/classes/$grammar" "$built/$grammar"
	rm -r "$sources"
done
javac -cp "$jar" -d "$built" internal/test/grammars/Parse.java
status=0
for pair in plsql:oracle tsql:sqlserver; do
	files=$(ls internal/source/"${pair#*:}"/testdata/*.sql 2>/dev/null) || continue
	# shellcheck disable=SC2086 # a list of files
	java -Xss64m -cp "$jar:$built" Parse "${pair%:*}" $files || status=1
done
exit $status
