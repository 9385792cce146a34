# shellcheck shell=bash
# Binaries from the modules, kept as built/<name>-<key> and linked from bin/. A changed go.mod is built again; an unchanged one is reused.
build_flags='-s -w'
stamps=1 # increase it when the linked version stamps change

# The module folder of each, and the arguments of `go build`.
declare -A module_of package_of
# Without this tag, promtool includes the client libraries of all clouds.
declare -A tags_of=([promtool]=remove_all_sd)
declared() { module_of[$1]=$2; package_of[$1]=$3; }
for name in kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl; do
  declared "$name" kubernetes "k8s.io/kubernetes/cmd/$name"
done
declared etcd etcd go.etcd.io/etcd/server/v3
declared helm helm helm.sh/helm/v3/cmd/helm
declared kubeconform kubeconform github.com/yannh/kubeconform/cmd/kubeconform
declared promtool promtool github.com/prometheus/prometheus/cmd/promtool
declared coredns coredns github.com/coredns/coredns
declared kwok kwok sigs.k8s.io/kwok/cmd/kwok
declared versitygw ../../s3 github.com/versity/versitygw/cmd/versitygw
declared pause pause .

build() {
  case $1 in
    control-plane) set -- etcd kube-apiserver kube-controller-manager kubectl ;;
    tools) set -- kubectl helm kubeconform ;;
    tests) set -- etcd kube-apiserver kube-controller-manager kubectl helm kubeconform promtool ;;
    all) set -- etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl helm kubeconform promtool coredns kwok versitygw pause ;;
    *) [ -n "${module_of[$1]:-}" ] || die "build what? control-plane, tools, tests, all or one of: ${!module_of[*]}" ;;
  esac
  mkdir -p "$dir/built"
  linked "$@" || locked build build_each "$@"
}

key_of() { { find "$modules/${module_of[$1]}" -maxdepth 1 -name 'go.*' -o -name '*.go' | sort | xargs cat; uname -m; echo "$build_flags $stamps${tags_of[$1]:+ ${tags_of[$1]}}"; } | sha256sum | cut -c1-12; }
# Path of its binary, built or not.
built() { echo "$dir/built/$1-$(key_of "$1")"; }

linked() { # all of them are built, and linked
  for name in "$@"; do
    local file; file=$(built "$name")
    [ -x "$file" ] || return 1
    [ "$(readlink "$bin/$name")" = "$file" ] || ln -sfn "$file" "$bin/$name"
    [ "$name" != kubeconform ] || [ -d "$(schemas)" ] || return 1
    [ "$name" != kwok ] || [ -f "$file.yaml" ] || return 1
  done
}

build_each() {
  linked "$@" && return 0
  need_go
  for name in "$@"; do [ -x "$(built "$name")" ] || build_one "$name"; done
  for name in "$@"; do case $name in kwok) keep_stages ;; kubeconform) write_schemas ;; esac; done
  linked "$@" || die "the binaries were built, but they are missing; see $dir/built"
}

build_one() {
  local folder=${module_of[$1]} flags=$build_flags version file; file=$(built "$1")
  case $folder in kubernetes) flags+=$(kubernetes_flags) ;; helm) flags+=$(helm_flags) ;; esac
  version=$(awk -v p="${package_of[$1]%%/cmd/*}" '$1 == p {print $2}' "$modules/$folder/go.mod")
  # shellcheck disable=SC2016
  step 2400 "building $1${version:+ $version}" env CGO_ENABLED=0 GOWORK=off bash -euc '
    cd "$1"; go build -tags="$5" -ldflags="$2" -o "$4.part" "$3"; mv "$4.part" "$4"' build "$modules/$folder" "$flags" "${package_of[$1]}" "$file" "${tags_of[$1]:-}"
}

# The same stamps as in the official builds: the server reports its version to clients, and Helm renders for the version that it was built for.
kubernetes_flags() {
  local version minor; version=$(kubernetes_version)
  minor=$(cut -d. -f2 <<<"$version")
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    printf ' -X %s.gitVersion=%s -X %s.gitMajor=1 -X %s.gitMinor=%s' $package "$version" $package $package "$minor"
  done
}
helm_flags() {
  local minor; minor=$(awk '$1 == "k8s.io/client-go" {split($2, part, "."); print part[2]}' "$modules/helm/go.mod")
  printf ' -X helm.sh/helm/v3/internal/version.version=%s' "$(awk '$1 == "helm.sh/helm/v3" {print $2}' "$modules/helm/go.mod")"
  for package in chartutil lint/rules; do
    printf ' -X helm.sh/helm/v3/pkg/%s.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/%s.k8sVersionMinor=%s' $package $package "$minor"
  done
}
kubernetes_version() { awk '$1 == "k8s.io/kubernetes" {print $2}' "$modules/kubernetes/go.mod"; }

# Files of kwok's module define how it changes nodes and pods.
keep_stages() {
  local stages file; file=$(built kwok).yaml
  stages=$(cd "$modules/kwok" && go list -m -f '{{.Dir}}' sigs.k8s.io/kwok)/kustomize/stage
  for stage in "$stages"/node/fast/node-initialize.yaml "$stages"/node/heartbeat/*heartbeat.yaml "$stages"/pod/fast/pod-*.yaml; do echo ---; cat "$stage"; done > "$file.part"
  mv "$file.part" "$file"
}

# kubeconform would download its own from the internet. These come from the OpenAPI document in the source of the pinned Kubernetes.
schemas() { echo "$dir/built/schemas-$(key_of kubectl)-$(cksum < "$here/lib/schemas.ts" | cut -d' ' -f1)"; }
write_schemas() {
  local folder swagger; folder=$(schemas)
  if [ ! -d "$folder" ]; then
    swagger=$(cd "$modules/kubernetes" && go list -m -f '{{.Dir}}' k8s.io/kubernetes)/api/openapi-spec/swagger.json
    step 60 "schemas of Kubernetes $(kubernetes_version)" node "$here/lib/schemas.ts" "$swagger" "$folder.part"
    mv "$folder.part" "$folder"
  fi
  ln -sfn "$folder" "$dir/schemas"
}
