#!/bin/sh
# Publishes one part of a release: `image`, `chart` or `notes`. The release workflow runs these through make.
# REGISTRY names an OCI registry with a path, such as ghcr.io/acme. REGISTRY_USER and REGISTRY_PASSWORD log in to it.
# TAG, if set, must name the version of package.json. With `notes`, GH_TOKEN allows gh to create the release.
set -eu
cd "$(dirname "$0")/.."
fail() { printf 'publish: %s\n' "$*" >&2; exit 1; }

version=$(sed -n 's/^  "version": "\(.*\)",/\1/p' package.json)
tag=${TAG:-v$version}
[ "$tag" = "v$version" ] || fail "The tag is $tag, but package.json has version $version. Tag the commit that has version ${tag#v}."

# Registries accept lower case only.
registry=$(printf '%s' "${REGISTRY:-}" | tr '[:upper:]' '[:lower:]')
need_registry() { [ -n "$registry" ] || fail 'REGISTRY is not set. Set it to a registry with a path, such as ghcr.io/acme.'; }
log_in() { # with docker or helm
  [ -z "${REGISTRY_PASSWORD:-}" ] || printf '%s' "$REGISTRY_PASSWORD" | "$@" --username "${REGISTRY_USER:?}" --password-stdin
}

case ${1:-} in
  image)
    need_registry
    IMAGE=$registry/tearsheet:$version IMAGE_BUILDER=docker scripts/image.sh
    log_in docker login "${registry%%/*}"
    docker push "$registry/tearsheet:$version"
    ;;
  chart)
    need_registry
    scripts/chart.sh
    log_in helm registry login "${registry%%/*}"
    helm push ".cache/chart/tearsheet-$version.tgz" "oci://$registry/charts"
    ;;
  notes)
    mkdir -p .cache
    # Any Node 24 will do; the script imports no packages, so the packages are not installed.
    node scripts/releaseNotes.ts >.cache/release-notes.md
    gh release create "$tag" --verify-tag --title "Tearsheet $version" --notes-file .cache/release-notes.md
    ;;
  *) fail "'${1:-}' cannot be published. Publish image, chart or notes." ;;
esac
