# shellcheck shell=bash
network() {
  ip link show cni0 >/dev/null 2>&1 || ip link add cni0 type bridge
  # Otherwise the bridge takes the lowest address of its ports. When that pod ends, the others lose their gateway for up to 45 s.
  ip link set cni0 address 0a:58:0a:58:00:01
  ip addr replace "$gateway/16" dev cni0
  ip link set cni0 up
  # Drops packets to a Service while kube-proxy has no rule for them. Outside this machine, another host might answer.
  ip route replace "$services" dev cni0
  sysctl -qw net.ipv4.ip_forward=1
  [ ! -e /proc/sys/net/bridge/bridge-nf-call-iptables ] || sysctl -qw net.bridge.bridge-nf-call-iptables=1
  mkdir -p "$dir/cni"
  write "$dir/cni/10-bridge.conflist" <<JSON
{"cniVersion":"1.0.0","name":"pods","plugins":[
 {"type":"bridge","bridge":"cni0","isGateway":true,"ipMasq":true,"hairpinMode":true,
  "ipam":{"type":"host-local","ranges":[[{"subnet":"$pods"}]],"routes":[{"dst":"0.0.0.0/0"}]}},
 {"type":"portmap","capabilities":{"portMappings":true}}]}
JSON
}

remove_network_namespaces() {
  for n in /run/netns/cni-*; do [ -e "$n" ] || continue; ip netns delete "${n##*/}" 2>/dev/null || true; done
}
