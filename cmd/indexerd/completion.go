package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help shows how a shell takes it.
func (completionCommand) Help() string {
	return "Prints a script by which a shell completes commands, flags and file names. The packages have it installed.\n\n" +
		"Examples:\n  source <(indexerd completion bash)\n  indexerd completion zsh >~/.zfunc/_indexerd\n" +
		"  indexerd completion fish >~/.config/fish/completions/indexerd.fish"
}

// Run prints the script.
func (c completionCommand) Run(k *kong.Context, w world) error {
	completions[c.Shell](w.stdout, k.Model.Node)
	return nil
}

// completions write what a shell has to know of the command line.
var completions = map[string]func(io.Writer, *kong.Node){"bash": completeBash, "zsh": completeZsh, "fish": completeFish}

// visible lists the commands that help shows.
func visible(app *kong.Node) []*kong.Node {
	var all []*kong.Node
	for _, c := range app.Children {
		if !c.Hidden {
			all = append(all, c)
		}
	}
	return all
}

// spellings are the ways to write a flag: -c, --config, --no-highlight.
func spellings(f *kong.Flag) []string {
	var all []string
	if f.Short != 0 {
		all = append(all, "-"+string(f.Short))
	}
	all = append(all, "--"+f.Name)
	if f.Tag.Negatable != "" {
		all = append(all, "--no-"+f.Name)
	}
	return all
}

// flags are a command's, and those of all commands.
func flags(c *kong.Node) []*kong.Flag {
	var all []*kong.Flag
	for _, group := range c.AllFlags(true) {
		all = append(all, group...)
	}
	return all
}

// takesFile reports whether a flag or an argument is the name of a file.
func takesFile(v *kong.Value) bool {
	if v.Flag != nil {
		return v.Flag.PlaceHolder == "FILE" || v.Flag.PlaceHolder == "DIR"
	}
	return v.Name == "dest" || v.Name == "src"
}

// words of an argument that has a fixed set of them.
func words(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return v.EnumSlice()
}

func completeBash(w io.Writer, app *kong.Node) {
	var names, cases, filed, valued []string
	for _, c := range visible(app) {
		names = append(names, c.Name)
		var options, rest []string
		files := ""
		for _, f := range flags(c) {
			options = append(options, spellings(f)...)
			switch {
			case takesFile(f.Value):
				filed = append(filed, spellings(f)...)
			case !f.IsBool():
				valued = append(valued, spellings(f)...)
			}
		}
		for _, p := range c.Positional {
			rest = append(rest, words(p)...)
			if takesFile(p) {
				files = " files=yes"
			}
		}
		cases = append(cases, fmt.Sprintf("\t%s) flags='%s' words='%s'%s ;;\n", c.Name, strings.Join(options, " "), strings.Join(rest, " "), files))
	}
	fmt.Fprintf(w, `# bash completion of indexerd; made by: indexerd completion bash

_indexerd() {
	local IFS=$' \t\n' current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
	local flags= words= files=
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W '--help %s' -- "$current"))
		return
	fi
	case $before in
	%s) files=yes ;;
	%s) return ;;
	*)
		case ${COMP_WORDS[1]} in
%s		esac
		;;
	esac
	if [[ $current == -* ]]; then
		COMPREPLY=($(compgen -W "$flags" -- "$current"))
		return
	fi
	COMPREPLY=($(compgen -W "$words" -- "$current"))
	if [[ $files ]]; then
		compopt -o filenames 2>/dev/null
		IFS=$'\n'
		COMPREPLY+=($(compgen -f -- "$current"))
	fi
}
complete -F _indexerd indexerd
`, strings.Join(names, " "), strings.Join(unique(filed), "|"), strings.Join(unique(valued), "|"), "\t"+strings.Join(cases, "\t"))
}

// unique keeps the first of equal words.
func unique(all []string) []string {
	var kept []string
	seen := map[string]bool{}
	for _, one := range all {
		if !seen[one] {
			kept = append(kept, one)
		}
		seen[one] = true
	}
	return kept
}

func completeZsh(w io.Writer, app *kong.Node) {
	// What _arguments and _describe take for their own punctuation.
	plain := strings.NewReplacer("'", "’", ":", `\:`, "[", `\[`, "]", `\]`)
	fmt.Fprint(w, `#compdef indexerd
# zsh completion of indexerd; made by: indexerd completion zsh

_indexerd() {
  local command
  local -a commands
  commands=(
`)
	for _, c := range visible(app) {
		fmt.Fprintf(w, "    '%s:%s'\n", c.Name, plain.Replace(c.Help))
	}
	fmt.Fprint(w, `  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
`)
	for _, c := range visible(app) {
		fmt.Fprintf(w, "  %s)\n    _arguments", c.Name)
		for _, f := range flags(c) {
			for _, spelling := range spellings(f) {
				value := ""
				switch {
				case takesFile(f.Value):
					value = ":" + f.FormatPlaceHolder() + ":_files"
				case !f.IsBool():
					value = ":" + plain.Replace(f.FormatPlaceHolder()) + ":"
				}
				fmt.Fprintf(w, " \\\n      '%s[%s]%s'", spelling, plain.Replace(f.Help), value)
			}
		}
		for i, p := range c.Positional {
			action := ""
			if takesFile(p) {
				action = "_files"
			} else if of := words(p); of != nil {
				action = "(" + strings.Join(of, " ") + ")"
			}
			place := strconv.Itoa(i + 1)
			if p.IsCumulative() {
				place = "*"
			}
			fmt.Fprintf(w, " \\\n      '%s:%s:%s'", place, p.Name, action)
		}
		fmt.Fprint(w, "\n    ;;\n")
	}
	fmt.Fprint(w, `  esac
}

if [ "$funcstack[1]" = _indexerd ]; then
  _indexerd "$@"
else
  compdef _indexerd indexerd
fi
`)
}

func completeFish(w io.Writer, app *kong.Node) {
	plain := strings.NewReplacer(`\`, `\\`, "'", `\'`)
	fmt.Fprint(w, "# fish completion of indexerd; made by: indexerd completion fish\n\ncomplete -c indexerd -f\ncomplete -c indexerd -n __fish_use_subcommand -l help -d 'Show help.'\n")
	for _, c := range visible(app) {
		fmt.Fprintf(w, "complete -c indexerd -n __fish_use_subcommand -a %s -d '%s'\n", c.Name, plain.Replace(c.Help))
	}
	for _, c := range visible(app) {
		within := fmt.Sprintf("complete -c indexerd -n '__fish_seen_subcommand_from %s'", c.Name)
		for _, f := range flags(c) {
			for _, spelling := range spellings(f) {
				line := within
				if name, long := strings.CutPrefix(spelling, "--"); long {
					line += " -l " + name
				} else {
					line += " -s " + spelling[1:]
				}
				if takesFile(f.Value) {
					line += " -r -F"
				} else if !f.IsBool() {
					line += " -x"
				}
				fmt.Fprintf(w, "%s -d '%s'\n", line, plain.Replace(f.Help))
			}
		}
		for _, p := range c.Positional {
			if takesFile(p) {
				fmt.Fprintf(w, "%s -F\n", within)
			} else if of := words(p); of != nil {
				fmt.Fprintf(w, "%s -a '%s'\n", within, strings.Join(of, " "))
			}
		}
	}
}
