# shellcheck shell=bash
fake_nodes() {
  alive kube-apiserver || die "no cluster runs: cluster up"
  start kwok "$bin/kwok" --kubeconfig "$pki/admin.kubeconfig" --cidr 10.200.0.0/16 --node-ip 10.200.0.1 \
    --manage-nodes-with-annotation-selector kwok.x-k8s.io/node=fake --node-lease-duration-seconds 20 --config "$(readlink "$bin/kwok").yaml"
  for i in $(seq "$1"); do fake_node "$i"; done | k apply -f - >/dev/null
  until_true 30 "the fake nodes" k wait --for=condition=Ready node -l type=kwok --timeout=1s
  k get nodes >&2
}

fake_node() {
  cat <<YAML
---
apiVersion: v1
kind: Node
metadata:
  name: fake-$1
  annotations: {kwok.x-k8s.io/node: fake, node.alpha.kubernetes.io/ttl: "0"}
  labels: {type: kwok, kubernetes.io/hostname: fake-$1, kubernetes.io/os: linux, kubernetes.io/arch: amd64}
spec: {taints: [{key: kwok.x-k8s.io/node, value: fake, effect: NoSchedule}]}
status:
  allocatable: {cpu: "1000", memory: 4Ti, pods: "5000", ephemeral-storage: 4Ti}
  capacity: {cpu: "1000", memory: 4Ti, pods: "5000", ephemeral-storage: 4Ti}
YAML
}
