#!/bin/sh
# Everything this checkout needs before it runs: Node 24, packages, a Chromium, fonts.
# Takes well under a second when everything is installed. If something cannot be installed, one sentence says so.
set -eu
cd "$(dirname "$0")/.."

NODE_VERSION=24.21.0
NPM_VERSION=11.19.1
# Without CJK fonts: fonts-noto-cjk alone is 90 MB; install it where creatives need it.
FONTS="fonts-liberation fonts-noto-color-emoji"
LOG=$PWD/.cache/setup.log
STAMP=.node/setup.stamp
CHROMIUM_FOUND=.node/chromium.path

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# step TITLE command…: shows progress, keeps the output for the log, returns the exit code.
step() {
  title=$1; shift
  started=$(date +%s)
  say "$title …"
  printf '\n== %s\n' "$title" >>"$LOG"
  # Without our lock, which its last sleep would keep.
  ( while sleep 10; do say "  $title, $(($(date +%s) - started)) s"; done ) 9>&- &
  ticker=$!
  code=0; "$@" >>"$LOG" 2>&1 </dev/null || code=$?
  kill "$ticker" 2>/dev/null || true
  wait "$ticker" 2>/dev/null || true
  [ "$code" -ne 0 ] || say "  done in $(($(date +%s) - started)) s"
  return "$code"
}

## Node ##########################################################################################################

# Types are stripped by Node itself from 22.18 and 23.6 on; the libraries ask for 22.22.
new_enough() {
  "$1" -e 'const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 23 || (major === 22 && minor >= 22) ? 0 : 1)' 2>/dev/null
}

npm_platform() {
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) echo linux-x64 ;;
    Linux-aarch64 | Linux-arm64) echo linux-arm64 ;;
    Darwin-x86_64) echo darwin-x64 ;;
    Darwin-arm64) echo darwin-arm64 ;;
    *) return 1 ;;
  esac
}

need_npm() {
  command -v npm >/dev/null 2>&1 || fail "Node $NODE_VERSION is fetched with npm, and there is no npm: install any Node with npm (Debian: apt-get install npm) and run this again."
}

# The platform packages of npm's `node`: a plain file in them is the program, no install script has to run.
fetch_node() {
  platform=$(npm_platform) || fail "There is no Node package for $(uname -s) on $(uname -m): put a Node 24 on the PATH and run this again."
  need_npm
  rm -rf .node/fetched && mkdir -p .node/fetched
  # In a folder of its own, so that neither our package.json nor its engine rule is asked.
  echo '{"private":true}' >.node/fetched/package.json
  step "Node $NODE_VERSION for $platform" fetch_package "node-$platform@$NODE_VERSION" ||
    fail "Node $NODE_VERSION could not be fetched from the npm registry (log: $LOG): make the registry reachable, or put a Node 24 on the PATH, and run this again."
  ln -sfn "../fetched/node_modules/node-$platform/bin/node" .node/bin/node
}

fetch_package() {
  (cd .node/fetched && npm install --prefix . --no-audit --no-fund --ignore-scripts --force --fetch-retry-mintimeout 2000 "$1")
}

ensure_node() {
  if [ -x .node/bin/node ] && new_enough .node/bin/node; then return 0; fi
  mkdir -p .node/bin
  system=$(command -v node || true)
  if [ -n "$system" ] && new_enough "$system"; then
    ln -sfn "$(readlink -f "$system")" .node/bin/node
    say "Node $("$system" --version) of this machine"
  else
    fetch_node
  fi
  .node/bin/node --version >/dev/null 2>&1 || fail ".node/bin/node does not run on this machine ($(uname -s) $(uname -m)): delete .node, put a Node 24 on the PATH and run this again."
}

## Packages ######################################################################################################

# An npm from before version 10 neither knows our lockfile's rules nor runs on Node 24: then one of our own.
npm_program() {
  if [ -f .node/fetched/node_modules/npm/bin/npm-cli.js ]; then
    echo "$PWD/.node/fetched/node_modules/npm/bin/npm-cli.js"
    return
  fi
  found=$(readlink -f "$(command -v npm)")
  major=$(PATH="$PWD/.node/bin:$PATH" .node/bin/node "$found" --version 2>/dev/null | cut -d. -f1)
  case "$major" in '' | *[!0-9]*) major=0 ;; esac
  if [ "$major" -ge 10 ]; then echo "$found"; else return 1; fi
}

install_packages() {
  PATH="$PWD/.node/bin:$PATH" .node/bin/node "$1" ci --no-audit --no-fund --fetch-retry-mintimeout 2000
}

ensure_packages() {
  wanted=$(cksum <package-lock.json)
  if [ -d node_modules ] && [ "$(cat "$STAMP" 2>/dev/null)" = "$wanted" ]; then return 0; fi
  need_npm
  mkdir -p .node/fetched
  [ -f .node/fetched/package.json ] || echo '{"private":true}' >.node/fetched/package.json
  if ! npm=$(npm_program); then
    step "npm $NPM_VERSION" fetch_package "npm@$NPM_VERSION" ||
      fail "npm $NPM_VERSION could not be fetched from the npm registry (log: $LOG): make the registry reachable and run this again."
    npm=$(npm_program)
  fi
  rm -f "$STAMP"
  step "packages from the npm registry (a minute or so)" install_packages "$npm" ||
    fail "The packages could not be installed (log: $LOG): make the npm registry reachable and run this again."
  printf '%s\n' "$wanted" >"$STAMP"
}

## Chromium and fonts ############################################################################################

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; elif command -v sudo >/dev/null 2>&1; then sudo -n "$@"; else return 1; fi
}

apt_install() {
  command -v apt-get >/dev/null 2>&1 || return 1
  # A foreign source that does not answer must not stop what Debian's own can give.
  as_root apt-get -o DPkg::Lock::Timeout=120 update || true
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y --no-install-recommends "$@"
}

# The program's own search, so that setup and service cannot disagree.
find_chromium() {
  .node/bin/node --input-type=module -e '
    import { findChromium } from "./src/capture/browser/chromium.ts";
    try { console.log(findChromium(process.env.CHROMIUM_PATH)); } catch { process.exit(1); }' 2>>"$LOG"
}

download_chromium() {
  PATH="$PWD/.node/bin:$PATH" .node/bin/node node_modules/playwright/cli.js install --only-shell chromium
}

runs() { timeout 30 "$1" --version >>"$LOG" 2>&1; }

ensure_chromium() {
  kept=$(cat "$CHROMIUM_FOUND" 2>/dev/null || true)
  if [ -n "$kept" ] && [ -x "${CHROMIUM_PATH:-$kept}" ]; then return 0; fi
  if ! path=$(find_chromium); then
    [ -z "${CHROMIUM_PATH:-}" ] || fail "CHROMIUM_PATH is $CHROMIUM_PATH, where there is no file: correct it or unset it, and run this again."
    step "Debian's Chromium headless shell" apt_install chromium-headless-shell || true
    find_chromium >/dev/null || step "Playwright's Chromium headless shell" download_chromium || true
    path=$(find_chromium) || fail "No Chromium could be installed (log: $LOG): install one (Debian, as root: apt-get install chromium-headless-shell) or set CHROMIUM_PATH to one, and run this again."
  fi
  runs "$path" || fail "$path does not start (log: $LOG): install the libraries it lacks (as root: .node/bin/node node_modules/playwright/cli.js install-deps chromium) or set CHROMIUM_PATH to another, and run this again."
  printf '%s\n' "$path" >"$CHROMIUM_FOUND"
  say "Chromium: $path"
}

has_fonts() {
  [ -d /usr/share/fonts/truetype/liberation ] || [ -d /usr/share/fonts/truetype/liberation2 ] ||
    [ -d /usr/share/fonts/liberation ] || [ -d /usr/share/fonts/liberation-fonts ] || [ -d /System/Library/Fonts ]
}

# Pictures can be made without them, only less alike from machine to machine.
ensure_fonts() {
  if has_fonts || [ -f .node/fonts.skipped ]; then return 0; fi
  # shellcheck disable=SC2086 # two packages, two words
  step "fonts" apt_install $FONTS && return 0
  : >.node/fonts.skipped
  say "Fonts could not be installed ($FONTS); text in pictures uses what this machine has."
}

mkdir -p .node .cache
# Two at once (make demo beside make test) would install over each other.
if command -v flock >/dev/null 2>&1; then
  exec 9>.node/setup.lock
  flock -n 9 || { say "another setup is running, waiting for it …"; flock -w 900 9 || fail "Another setup has held .node/setup.lock for 15 minutes: end it and run this again."; }
fi
ensure_node
ensure_packages
ensure_chromium
ensure_fonts
