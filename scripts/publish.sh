#!/bin/sh
# Publishes one part of a release: `image`, `chart`, `npm`, `pypi` or `notes`. The release workflow runs these through make.
# REGISTRY names an OCI registry with a path, such as ghcr.io/acme. REGISTRY_USER and REGISTRY_PASSWORD log in to it.
# With `npm` and `pypi`, REPOSITORY is the address of the project's pages, such as https://github.com/acme/tearsheet.
# NODE_AUTH_TOKEN and UV_PUBLISH_TOKEN are tokens of npm and PyPI. Without them, both trust the release workflow.
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
need_repository() {
  [ -n "${REPOSITORY:-}" ] || fail 'REPOSITORY is not set. Set it to the address of the pages of this project, such as https://github.com/acme/tearsheet.'
}
log_in() { # with docker or helm
  [ -z "${REGISTRY_PASSWORD:-}" ] || printf '%s' "$REGISTRY_PASSWORD" | "$@" --username "${REGISTRY_USER:?}" --password-stdin
}

# Without a key: the identity is that of the workflow that runs this (https://docs.sigstore.dev).
sign() { # name digest
  case $2 in sha256:*) ;; *) fail "The digest of $1 is unknown, so it is not signed. Publish it again." ;; esac
  cosign sign --yes "$1@$2"
  printf 'publish: signed %s@%s\n' "$1" "$2"
}

# Fails if the image has a vulnerability of severity high or critical for which a fix exists. Rebuilding the image takes the fixes of Debian.
scan() { # name@digest
  docker run --rm -v "$HOME/.docker:/.docker:ro" -e DOCKER_CONFIG=/.docker anchore/grype:v0.121.3 "registry:$1" --only-fixed --fail-on high ||
    fail "The scan of $1 found a vulnerability with a fix, or it failed; see above. The image is not signed."
}

case ${1:-} in
  image)
    need_registry
    log_in docker login "${registry%%/*}"
    # Buildx attests the provenance and an SBOM for each platform, and pushes both with the image.
    IMAGE=$registry/tearsheet:$version IMAGE_BUILDER=buildx scripts/image.sh
    digest=$(sed -n 's/.*"containerimage.digest": "\(sha256:[0-9a-f]*\)".*/\1/p' .cache/image.json | head -n 1)
    scan "$registry/tearsheet@$digest"
    sign "$registry/tearsheet" "$digest"
    ;;
  chart)
    need_registry
    scripts/chart.sh
    log_in helm registry login "${registry%%/*}"
    pushed=$(helm push ".cache/chart/tearsheet-$version.tgz" "oci://$registry/charts" 2>&1)
    printf '%s\n' "$pushed"
    # cosign reads the login of docker.
    log_in docker login "${registry%%/*}"
    sign "$registry/charts/tearsheet" "$(printf '%s\n' "$pushed" | sed -n 's/^Digest: //p')"
    ;;
  npm)
    need_repository
    .node/bin/node scripts/packClients.ts npm --repository "$REPOSITORY"
    config=.cache/clients/npmrc
    # npm reads the variable when it needs the token.
    # shellcheck disable=SC2016
    if [ -n "${NODE_AUTH_TOKEN:-}" ]; then printf '//registry.npmjs.org/:_authToken=${NODE_AUTH_TOKEN}\n' >"$config"; else : >"$config"; fi
    # Only a workflow can prove where a package was built.
    npm publish ".cache/clients/npm/tearsheet-client-$version.tgz" --userconfig "$config" ${GITHUB_ACTIONS:+--provenance}
    ;;
  pypi)
    need_repository
    .node/bin/node scripts/packClients.ts pypi --repository "$REPOSITORY"
    # packClients.ts has just used this program; other versions may be older.
    uv=$(ls -td .cache/python/pack-*/bin/uv | head -n 1)
    "$uv" publish .cache/clients/pypi/*
    ;;
  notes)
    mkdir -p .cache
    scripts/release.sh notes >.cache/release-notes.md
    gh release create "$tag" --verify-tag --title "Tearsheet $version" --notes-file .cache/release-notes.md
    ;;
  *) fail "'${1:-}' cannot be published. Publish image, chart, npm, pypi or notes." ;;
esac
