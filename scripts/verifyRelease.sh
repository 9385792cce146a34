#!/bin/sh
# Verifies a release before it is installed: the release workflow of this project signed image and chart. The image has an SBOM and a
# provenance for each platform. REGISTRY and VERSION name the release, REPOSITORY the project's pages, as in scripts/publish.sh.
# Needs cosign 3 and docker with buildx. Prints the references by digest, to install from.
set -eu
fail() { printf 'verify: %s\n' "$*" >&2; exit 1; }

: "${REGISTRY:?a registry with a path, such as ghcr.io/acme}" "${VERSION:?the version, such as 1.2.3}"
: "${REPOSITORY:?the address of the pages of this project, such as https://github.com/acme/tearsheet}"
for tool in cosign docker; do command -v "$tool" >/dev/null || fail "$tool is not installed."; done
registry=$(printf '%s' "$REGISTRY" | tr '[:upper:]' '[:lower:]')

digest_of() { docker buildx imagetools inspect "$1" --format '{{.Manifest.Digest}}'; }
for name in tearsheet charts/tearsheet; do
  digest=$(digest_of "$registry/$name:$VERSION") || fail "$registry/$name:$VERSION is not there, or you are not logged in."
  cosign verify "$registry/$name@$digest" --certificate-oidc-issuer https://token.actions.githubusercontent.com \
    --certificate-identity "$REPOSITORY/.github/workflows/release.yml@refs/tags/v$VERSION" >/dev/null ||
    fail "$registry/$name@$digest is not signed by the release workflow of $REPOSITORY for v$VERSION. Do not install it."
  printf '%s/%s@%s\n' "$registry" "$name" "$digest"
done

image=$registry/tearsheet:$VERSION
for platform in linux/amd64 linux/arm64; do
  for part in SBOM Provenance; do
    found=$(docker buildx imagetools inspect "$image" --format "{{ if (index .$part \"$platform\") }}yes{{ end }}")
    [ "$found" = yes ] || fail "The image has no $part for $platform."
  done
done
