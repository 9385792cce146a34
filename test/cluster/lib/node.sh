# shellcheck shell=bash
# The one real node: kubelet, kube-proxy, and a DNS server on the bridge.
start_node() {
  start_kubelet
  start_proxy
  start_dns
  until_true 90 "the node" k wait --for=condition=Ready node/node-1 --timeout=1s
  until_true 30 "the default service account" k -n default get serviceaccount default
}

start_kubelet() {
  write "$dir/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: cgroupfs
failSwapOn: false
failCgroupV1: false
containerRuntimeEndpoint: unix://$containerd_socket
clusterDNS: ["$gateway"]
clusterDomain: cluster.local
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $pki/ca.crt}}
authorization: {mode: Webhook}
address: $gateway
imageGCHighThresholdPercent: 99
imageGCLowThresholdPercent: 98
evictionHard: {memory.available: 200Mi, nodefs.available: 1%, imagefs.available: 1%}
# The kubelet notices a pod that fills its volumes at once, not after a minute.
volumeStatsAggPeriod: 2s
# Kubernetes marks a node as lost after 30 s without a sign of life (lib/controlPlane.sh). The node sends six signs in
# that time, as many as with the defaults, 50 s and 40 s.
nodeLeaseDurationSeconds: 20
maxPods: 60
podPidsLimit: 1024
protectKernelDefaults: false
makeIPTablesUtilChains: true
YAML
  start kubelet "$bin/kubelet" --config "$dir/kubelet.yaml" --kubeconfig "$pki/node.kubeconfig" --hostname-override node-1 \
    --node-ip "$gateway" --root-dir "$dir/kubelet" --cert-dir "$dir/kubelet-pki"
}

start_proxy() {
  write "$dir/proxy.yaml" <<YAML
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: iptables
clusterCIDR: $pods
hostnameOverride: node-1
clientConnection: {kubeconfig: $pki/admin.kubeconfig}
conntrack: {maxPerCore: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
healthzBindAddress: 127.0.0.1:10256
metricsBindAddress: 127.0.0.1:10249
YAML
  start kube-proxy "$bin/kube-proxy" --config "$dir/proxy.yaml"
}

start_dns() {
  write "$dir/Corefile" <<CORE
.:53 {
  bind $gateway
  errors
  kubernetes cluster.local in-addr.arpa {
    kubeconfig $pki/admin.kubeconfig
    pods insecure
  }
  cache 5
}
CORE
  start coredns "$bin/coredns" -conf "$dir/Corefile"
}
