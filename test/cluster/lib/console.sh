# shellcheck shell=bash
# Messages to the user, and locks against a second run.
say() { printf 'cluster: %s\n' "$*" >&2; }
die() { printf 'cluster: %s\n' "$*" >&2; exit 1; }

# step SECONDS "what is done" command…: runs the command, prints its progress every 20 s, and stops it after SECONDS. The output is written to a log.
step() {
  local seconds=$1 title=$2 began=$SECONDS code=0 ticker; shift 2
  local kept=$log/${title//[^a-zA-Z0-9.]/-}.log
  say "$title …"
  ( while sleep 20 && running $$; do say "  $title, $((SECONDS - began)) s"; done ) 7>&- 8>&- 9>&- &
  ticker=$!
  timeout -k 10 "$seconds" bash -c "$(declare -f running end_with); end_with $$ \"\$@\"" step "$@" >"$kept" 2>&1 </dev/null &
  wait $! || code=$? # so that Ctrl-C ends this script at once
  kill "$ticker" 2>/dev/null || true
  wait "$ticker" 2>/dev/null || true
  [ "$code" -eq 0 ] || { tail -n 15 "$kept" | sed 's/^/    /' >&2; die "$title: $([ "$code" -eq 124 ] && echo "not done in $seconds s" || echo failed) (log: $kept)"; }
  say "  done in $((SECONDS - began)) s"
}
running() { kill -0 "$1" 2>/dev/null; }
# end_with PID command…: runs the command, and ends it with its whole process group once PID has ended. `timeout` gives each
# command a group of its own, which no signal to this script reaches. The command holds our locks until then.
end_with() {
  local parent=$1 code=0; shift
  ( while running "$parent"; do sleep 1; done; kill -KILL 0 ) 7>&- 8>&- 9>&- &
  "$@" || code=$?
  kill $!
  exit "$code"
}

until_true() { # seconds what command…
  local seconds=$1 what=$2; shift 2
  local end=$((SECONDS + seconds))
  while [ $SECONDS -lt $end ]; do "$@" >/dev/null 2>&1 && return 0; sleep 0.2; done
  die "$what did not come up in ${seconds}s; see $log/"
}

# locked images|state|build command…: only one run at a time does this on the machine. Nest these locks only in this order.
locked() {
  local name=$1 fd; shift
  case $name in images) fd=7 ;; state) fd=8 ;; build) fd=9 ;; esac
  eval "exec $fd>\"$dir/$name.lock\""
  flock -n "$fd" || { say "another run holds $dir/$name.lock, waiting for it …"; flock -w 2400 "$fd" || die "another run has held $dir/$name.lock for 40 minutes"; }
  "$@"
  eval "exec $fd>&-"
}

write() { # file, from standard input; not written if the content is the same (kube-proxy ends when its file is touched)
  local text; text=$(cat)
  [ -f "$1" ] && [ "$(cat "$1")" = "$text" ] || printf '%s\n' "$text" > "$1"
}
