#!/bin/sh
# `make verify`: the long tests. First the projects `verify`, `integration-long` and `cluster`, then on nodes the project `e2e-alone`. When all
# pass, it writes a digest of the files that they guard to test/verify/verified. With --if-changed it runs only when that digest differs.
# VERIFY_NODES=no leaves out `e2e-alone`, for machines that cannot start nodes.
cd "$(dirname "$0")/.." || exit 1
record=test/verify/verified

digest() {
  git ls-files -co --exclude-standard -z -- src charts/tearsheet crds clients docs/quick-start.md docs/runbooks.md scripts/packClients.ts scripts/clients \
    test/verify test/cluster 'test/integration/*.long.test.ts' test/fixtures test/e2e/alone test/python test/support package-lock.json \
    'test/integration/*Matri*.ts' test/integration/pages/everyPage.ts test/integration/pages/newRequestSteps.ts test/integration/pages/referencePage.ts ':!src/exports' ':!src/framing' ":!$record" |
    LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1
}

mkdir -p .cache
rm -f .cache/verify-summary .cache/e2e-alone-summary
before=$(digest)
if [ "${1:-}" = --if-changed ] && [ "$before" = "$(cat $record 2>/dev/null)" ]; then
  echo '0 passed, 0 failed' | tee .cache/verify-summary >.cache/e2e-alone-summary
  echo 'The long tests are not needed: the files that they guard are as in the last verified state.'
  exit 0
fi
status=0
cluster='--project cluster'
test/cluster/cluster build tests || [ "$CI" = true ] || {
  cluster='' && echo 'The tests in test/cluster are skipped, because their programs could not be built (see above).'
}
SUMMARY=verify timeout -k 20 45m .node/bin/node node_modules/vitest/vitest.mjs run --project verify --project integration-long $cluster || status=1
if [ "${VERIFY_NODES:-}" = no ]; then
  echo '0 passed, 0 failed' >.cache/e2e-alone-summary
else
  E2E_PROJECT=e2e-alone timeout -k 60 30m scripts/e2e.sh || status=1
fi
if [ "$status" -ne 0 ]; then
  exit "$status"
elif [ -z "$cluster" ] || grep -q '^0 passed' .cache/e2e-alone-summary; then
  echo "The tests in test/cluster or test/e2e/alone were skipped, so $record stays as it was."
elif [ "$(digest)" != "$before" ]; then
  echo "Guarded files changed during the run, so $record stays as it was. Run make verify again."
else
  echo "$before" >$record
  echo "The guarded files are verified. Commit $record."
fi
