#!/usr/bin/env bash
# `make e2e`. With KUBECONFIG set, that cluster is used and nothing is started. IMAGE (repository:tag) names what it runs. S3_ENDPOINT, AWS_ACCESS_KEY_ID
# and AWS_SECRET_ACCESS_KEY name where pictures go. E2E_HOST is the address by which its pods reach this machine. Without, a cluster is
# started from test/cluster, and stopped afterwards unless it ran before or KEEP_CLUSTER=1. Arguments are passed to vitest. E2E_PROJECT names
# another vitest project than `e2e`.
set -euo pipefail
cd "$(dirname "$0")/.."
cluster=test/cluster/cluster

# An assignment ends the script when its command fails; eval of a substitution would not.
use() { local lines; lines=$("$cluster" "$@"); eval "$lines"; }

if [ -z "${KUBECONFIG:-}" ]; then
  running=$("$cluster" status)
  if ! grep -q '^kube-apiserver up' <<<"$running"; then
    # The rest of a cluster that was not stopped cleanly would start again.
    "$cluster" down
    [ "${KEEP_CLUSTER:-}" = 1 ] || trap '"$cluster" down' EXIT
  fi
  use up
  use s3
  export E2E_OWN_CLUSTER=true IMAGE=${IMAGE:-tearsheet:dev}
  IMAGE_BUILDER=cluster scripts/image.sh
  # For what needs an engine as everybody has one: the image's own test.
  use docker
  # The version before this one, from which the upgrade test upgrades.
  previous=$(scripts/previousVersion.sh)
  "$cluster" image "${IMAGE%:*}:previous" "$previous" && export IMAGE_PREVIOUS_TAG=previous
else
  for name in IMAGE E2E_HOST S3_ENDPOINT AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY; do
    [ -n "${!name:-}" ] || { echo "e2e: $name is not set; with KUBECONFIG it must be, see CONTRIBUTING.md" >&2; exit 2; }
  done
  if ! command -v helm >/dev/null || ! command -v kubectl >/dev/null; then use tools; fi
fi
project=${E2E_PROJECT:-e2e}
SUMMARY=$project timeout -k 20 25m .node/bin/node node_modules/vitest/vitest.mjs run --project "$project" "$@"
