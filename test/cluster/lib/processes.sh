# shellcheck shell=bash
# Daemons: one pid file each, with the start time, so that these scripts stop only processes that they started.
born() { awk '{print $22}' "/proc/$1/stat" 2>/dev/null; }
pid_of() { cut -d' ' -f1 "$run/$1.pid"; }

alive() { # the same process (another process may have its id by now), and not a zombie
  [ -f "$run/$1.pid" ] || return 1
  local pid start; read -r pid start < "$run/$1.pid"
  [ -n "$start" ] && [ "$(born "$pid")" = "$start" ] && grep -q '^State:[[:space:]]*[^ZX]' "/proc/$pid/status" 2>/dev/null
}

start() { # name command…; without our locks, because it would keep them
  local name=$1; shift
  alive "$name" && return 0
  setsid "$@" >>"$log/$name.log" 2>&1 < /dev/null 7>&- 8>&- 9>&- &
  echo "$! $(born $!)" > "$run/$name.pid"
}

stop() {
  alive "$1" || { rm -f "$run/$1.pid"; return 0; }
  local pid; pid=$(pid_of "$1"); kill "$pid" 2>/dev/null || true
  for _ in $(seq 50); do alive "$1" || break; sleep 0.1; done
  ! alive "$1" || kill -9 "$pid" 2>/dev/null || true
  rm -f "$run/$1.pid"
}

kill_hard() {
  alive "$1" || die "$1 is not running"
  kill -9 "$(pid_of "$1")"
  while alive "$1"; do sleep 0.05; done
}
