# shellcheck shell=bash
debian_image=docker.io/library/debian:bookworm-slim
node_image=docker.io/library/node:24-bookworm-slim
node_version=24.21.0 npm_version=11.19.1

base() { need_debian_root; locked images base_images; }
base_images() {
  need_packages debootstrap buildah ca-certificates
  has_image "$debian_image" || make_debian
  has_image "$node_image" || make_node
}
has_image() { buildah images -q "$1" >/dev/null 2>&1; }

make_debian() {
  local root=$dir/debootstrap mirror
  mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null |
    awk '/^URIs:/ {print $2; exit} /^deb / {for (i = 2; i <= NF; i++) if ($i ~ /^http/) {print $i; exit}}' || true)
  [ -n "$mirror" ] || die "no Debian mirror found in the machine's apt sources"
  # Keeps only a complete one.
  [ -d "$root" ] || { rm -rf "$root.part"; step 900 "debootstrap bookworm" debootstrap --variant=minbase --include=ca-certificates bookworm "$root.part" "$mirror"; mv "$root.part" "$root"; }
  take_along "$root"
  import_rootfs "$root" "$debian_image"
}

# Copies the machine's access to the package registries: sources, certificates, npm settings (without credentials).
take_along() {
  if cp -L /etc/apt/sources.list.d/*.sources "$1/etc/apt/sources.list.d/" 2>/dev/null; then rm -f "$1/etc/apt/sources.list"; fi
  cp -rL /usr/share/keyrings/. "$1/usr/share/keyrings/"
  cp -L /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"
  [ ! -d /usr/local/share/ca-certificates ] || cp -r /usr/local/share/ca-certificates "$1/usr/local/share/"
  [ ! -f "$HOME/.npmrc" ] || grep -v -i -e _auth -e nodedir "$HOME/.npmrc" > "$1/root/.npmrc" || true
}

import_rootfs() {
  local c; c=$(buildah from scratch)
  buildah add -q "$c" "$1" / >/dev/null
  buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd bash "$c"
  buildah commit -q "$c" "$2" >/dev/null
  buildah rm "$c" >/dev/null
}

# Same layout as the public image of that name: node, npm and npx in /usr/local, a user `node` of id 1000.
make_node() {
  local t c platform; t=$(mktemp -d)
  case $(uname -m) in x86_64) platform=linux-x64 ;; aarch64) platform=linux-arm64 ;; *) die "no Node image can be made for $(uname -m)" ;; esac
  # shellcheck disable=SC2016
  step 300 "Node $node_version from npm" bash -euc 'cd "$1"
    npm pack --silent "$2" && tar xzf node-*.tgz && npm pack --silent "$3" && tar xzf npm-*.tgz --one-top-level=npm' \
    fetch "$t" "node-$platform@$node_version" "npm@$npm_version"
  chmod 755 "$t/package/bin/node"
  c=$(buildah from --pull-never "$debian_image")
  buildah copy -q "$c" "$t/package/bin/node" /usr/local/bin/node >/dev/null
  buildah copy -q "$c" "$t/npm/package" /usr/local/lib/node_modules/npm >/dev/null
  buildah run --isolation chroot "$c" -- sh -c 'chmod +x /usr/local/lib/node_modules/npm/bin/*.js
    ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm; ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
    useradd -m -u 1000 node; node -v; npm -v' >&2
  buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt --cmd node "$c"
  buildah commit -q "$c" "$node_image" >/dev/null
  buildah rm "$c" >/dev/null
  rm -rf "$t"
}

image() { # name, arguments of buildah build…
  need_debian_root
  need_packages containerd runc containernetworking-plugins iproute2
  build_pause
  locked images build_image "$@"
}
build_pause() { mkdir -p "$dir/built"; linked pause || locked build build_each pause; }
build_image() {
  local name=$1 t began=$SECONDS; shift
  base_images
  locked state start_containerd
  say "building the image $name …"
  timeout -k 10 1500 buildah build --isolation chroot --network host --pull-never --layers -t "$name" "$@" >&2 || die "the image $name could not be built"
  t=$(mktemp -u --suffix=.tar)
  buildah push -q "$name" "docker-archive:$t:$name"
  images_of_pods images import "$t" >&2
  rm -f "$t"
  say "  $name is built and loaded, $((SECONDS - began)) s"
}
