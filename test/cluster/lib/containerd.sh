# shellcheck shell=bash
start_containerd() {
  mkdir -p "$dir/containerd" /run/tearsheet-cluster
  write "$dir/containerd/config.toml" <<TOML
version = 2
root = "$dir/containerd/root"
state = "/run/tearsheet-cluster/containerd"
[grpc]
  address = "$containerd_socket"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$dir/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
TOML
  start containerd containerd -c "$dir/containerd/config.toml"
  until_true 20 containerd ctr_ version
  images_of_pods images ls -q | grep -q localhost/pause:1 || load_pause
}
ctr_() { ctr -a "$containerd_socket" "$@"; }
images_of_pods() { ctr_ -n k8s.io "$@"; }

# The pause image, which holds a pod's namespaces; built here.
load_pause() {
  local t sum; t=$(mktemp -d)
  cp -L "$bin/pause" "$t/pause"
  tar -C "$t" -cf "$t/layer.tar" pause
  sum=$(sha256sum "$t/layer.tar" | cut -d' ' -f1)
  printf '{"architecture":"%s","os":"linux","config":{"Entrypoint":["/pause"],"User":"65535:65535"},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]},"history":[{"created_by":"pause"}]}' \
    "$(dpkg --print-architecture)" "$sum" > "$t/config.json"
  printf '[{"Config":"config.json","RepoTags":["localhost/pause:1"],"Layers":["layer.tar"]}]' > "$t/manifest.json"
  tar -C "$t" -cf "$t/image.tar" manifest.json config.json layer.tar
  images_of_pods images import "$t/image.tar" >/dev/null
  rm -rf "$t"
}

stop_containerd() {
  alive containerd || return 0
  images_of_pods tasks ls -q | xargs -r -n1 ctr -a "$containerd_socket" -n k8s.io tasks kill -s SIGKILL >/dev/null 2>&1 || true
  sleep 1
  images_of_pods containers ls -q | xargs -r ctr -a "$containerd_socket" -n k8s.io containers rm >/dev/null 2>&1 || true
  stop containerd
}
