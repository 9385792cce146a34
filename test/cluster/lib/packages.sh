# shellcheck shell=bash
need_debian_root() {
  [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null && [ "$(uname -s)" = Linux ] && return 0
  die "a cluster of its own is set up on Debian as root only; elsewhere start any (kind create cluster, minikube, k3s) and set KUBECONFIG to it"
}

need_packages() {
  local missing=()
  for p in "$@"; do dpkg -s "$p" >/dev/null 2>&1 || missing+=("$p"); done
  [ ${#missing[@]} -eq 0 ] && return 0
  # If a third-party source does not answer, the packages of Debian must still install.
  step 300 "Debian's package lists" bash -c 'apt-get -o DPkg::Lock::Timeout=200 update -qq || true'
  step 900 "Debian packages ${missing[*]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "${missing[@]}"
}
