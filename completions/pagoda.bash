# bash completion for pagoda
_pagoda() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "analyze --help --version" -- "$word")
    return
  fi
  local choices=""
  case $before in
    --format) choices="text json csv" ;;
    --table) choices="operators devices idle collectives graphs diagnostics" ;;
    --window) choices="all step annotation:" ;;
    --top) return ;;
    *)
      case $word in
        -*) choices="--window --format --table --output --top --verbose --no-progress --help" ;;
      esac
      ;;
  esac
  if [ -n "$choices" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _pagoda pagoda
