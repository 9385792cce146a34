#!/bin/sh
# Packages the Helm chart into .cache/chart. Uses the helm on the PATH, or builds the one of the test cluster.
set -eu
cd "$(dirname "$0")/.."
if ! command -v helm >/dev/null 2>&1; then
  tools=$(test/cluster/cluster tools)
  eval "$tools"
fi
rm -rf .cache/chart
helm package charts/tearsheet --destination .cache/chart
