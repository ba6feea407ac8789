# bash completion of indexerd; made by: indexerd completion bash

_indexerd() {
	local IFS=$' \t\n' current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
	local flags= words= files=
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W '--help demo init check run status search verify explain sweep versions history reindex reload backup restore plan completion version' -- "$current"))
		return
	fi
	case $before in
	--dir|-c|--config) files=yes ;;
	--listen|--rows|--seed|--from|--size|--after|--filter|--sort|--facets|--fields|--wait|--allow|--tiers|--span|--incremental) return ;;
	*)
		case ${COMP_WORDS[1]} in
		demo) flags='-h --help --version --listen --dir --rows --seed' words='' ;;
		init) flags='-h --help --version' words='' ;;
		check) flags='-h --help --version -c --config --json' words='' ;;
		run) flags='-h --help --version -c --config' words='' ;;
		status) flags='-h --help --version -c --config --json' words='' ;;
		search) flags='-h --help --version -c --config --json --from --size --after --filter --sort --facets --fields --highlight --no-highlight' words='' ;;
		verify) flags='-h --help --version -c --config --json --content --repair --strict --wait' words='' ;;
		explain) flags='-h --help --version -c --config --json' words='' ;;
		sweep) flags='-h --help --version -c --config --json --allow' words='' ;;
		versions) flags='-h --help --version -c --config --json' words='' ;;
		history) flags='-h --help --version -c --config --json --size --after' words='' ;;
		reindex) flags='-h --help --version -c --config --json' words='' ;;
		reload) flags='-h --help --version -c --config --json' words='' ;;
		backup) flags='-h --help --version -c --config' words='' files=yes ;;
		restore) flags='-h --help --version -c --config' words='' files=yes ;;
		plan) flags='-h --help --version --tiers --span --incremental --json' words='' ;;
		completion) flags='-h --help --version' words='bash zsh fish' ;;
		version) flags='-h --help --version' words='' ;;
		esac
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
