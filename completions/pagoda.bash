# bash completion for pagoda
_pagoda() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "analyze plan explain diff init evidence --help --version" -- "$word")
    return
  fi
  local choices=""
  case $before in
    --format) choices="text json csv md" ;;
    --lang) choices="en zh" ;;
    --preset) choices="tree last_resort" ;;
    --evidence) choices="none" ;;
    --table) choices="operators devices idle collectives graphs diagnostics" ;;
    --window) choices="all step annotation:" ;;
    --top) return ;;
    *)
      case $word in
        -*)
          case ${COMP_WORDS[1]} in
            analyze) choices="--window --format --table --output --top --verbose --no-progress --help" ;;
            plan) choices="--window --step-time --format --output --html --perfetto --peak-tflops --peak-gbs --gpu-hour-cost --gpus --day-cost --project --policy --preset --catalogue --evidence --lang --verbose --no-progress --help" ;;
            explain) choices="--window --step-time --peak-tflops --peak-gbs --gpu-hour-cost --gpus --day-cost --project --policy --preset --catalogue --evidence --lang --no-progress --help" ;;
            diff) choices="--step-time-before --step-time-after --plan --gate --format --output --window --lang --verbose --no-progress --help" ;;
            evidence) choices="--db --import --help" ;;
          esac
          ;;
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
