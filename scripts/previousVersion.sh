#!/usr/bin/env bash
# Writes the source of the version before this one to .cache/previous, and prints that folder. test/e2e/previousVersion names its commit.
# The upgrade test installs its chart and its image, upgrades to those of this checkout, and rolls back.
set -euo pipefail
cd "$(dirname "$0")/.."
commit=$(cat test/e2e/previousVersion)
folder=$PWD/.cache/previous

if ! git cat-file -e "$commit^{commit}" 2>/dev/null; then
  # A shallow clone lacks it.
  timeout 120 git fetch --quiet --depth 1 origin "$commit" || {
    echo "previousVersion: commit $commit is neither in this clone nor in origin. Fetch the whole history: git fetch --unshallow" >&2
    exit 1
  }
fi
if [ "$(cat "$folder/.commit" 2>/dev/null)" != "$commit" ]; then
  rm -rf "$folder" && mkdir -p "$folder"
  git archive "$commit" | tar -x -C "$folder"
  echo "$commit" >"$folder/.commit"
fi
echo "$folder"
