#!/bin/sh
# Builds the image with whatever there is: docker, podman or buildah; else with the test cluster's own, which also makes the base images
# that it cannot pull. IMAGE names it, IMAGE_BUILDER chooses; `buildx` builds for IMAGE_PLATFORMS and pushes. Arguments are passed to the build, e.g. --build-arg DEBIAN_SNAPSHOT=20261120T000000Z.
set -eu
cd "$(dirname "$0")/.."
name=${IMAGE:-tearsheet:dev}

answers() { command -v "$1" >/dev/null 2>&1 && "$@" >/dev/null 2>&1; }
# There already, or to be had.
has_bases() { for base in debian:bookworm-slim node:24-bookworm-slim; do answers buildah pull --policy missing "docker.io/library/$base" || return 1; done; }
builder() {
  if answers docker version; then echo docker
  elif answers podman info; then echo podman
  elif answers buildah version && has_bases; then echo buildah
  else echo cluster; fi
}

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH
version=$(sed -n 's/^  "version": "\(.*\)",/\1/p' package.json)
revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
[ -z "$(git status --porcelain -- Dockerfile src package.json package-lock.json 2>/dev/null)" ] || revision=$revision-modified
# Without the name and password that it may contain.
source=${IMAGE_SOURCE:-$(git remote get-url origin 2>/dev/null | sed -n 's#^https://\([^/]*@\)\{0,1\}#https://#p' || true)}
set -- --build-arg "SOURCE_DATE_EPOCH=$SOURCE_DATE_EPOCH" --build-arg "VERSION=$version" --build-arg "REVISION=$revision" \
  --build-arg "CREATED=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)" --build-arg "SOURCE=$source" "$@"

with=${IMAGE_BUILDER:-$(builder)}
echo "image: building $name with $with"
case $with in
  buildx) mkdir -p .cache && docker buildx build --platform "${IMAGE_PLATFORMS:-linux/amd64,linux/arm64}" --provenance=mode=max --sbom=true \
    --metadata-file .cache/image.json --push -t "$name" "$@" . ;;
  docker) docker build -t "$name" "$@" . ;;
  podman) podman build --format docker -t "$name" "$@" . ;;
  buildah) buildah build --isolation chroot --network host --layers -t "$name" "$@" . ;;
  cluster) test/cluster/cluster image "$name" "$@" . ;;
  *) echo "image: IMAGE_BUILDER is $with; docker, buildx, podman, buildah and cluster are known" >&2; exit 2 ;;
esac
