# shellcheck shell=bash
k() { "$bin/kubectl" --kubeconfig "$pki/admin.kubeconfig" "$@"; }

start_control_plane() {
  mkdir -p "$dir/etcd"
  start etcd "$bin/etcd" --data-dir "$dir/etcd" --unsafe-no-fsync --listen-client-urls http://127.0.0.1:2379 \
    --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380 --log-level warn
  start_api_server
  start kube-controller-manager "$bin/kube-controller-manager" --kubeconfig "$pki/kcm.kubeconfig" --use-service-account-credentials \
    --service-account-private-key-file "$pki/sa.key" --root-ca-file "$pki/ca.crt" --leader-elect=false --cluster-cidr "$pods" \
    --kube-api-qps 500 --kube-api-burst 1000 --concurrent-job-syncs 20 --node-monitor-grace-period 30s
  start kube-scheduler "$bin/kube-scheduler" --kubeconfig "$pki/scheduler.kubeconfig" --leader-elect=false --kube-api-qps 500 --kube-api-burst 1000
}

start_api_server() {
  audit_policy
  start kube-apiserver "$bin/kube-apiserver" --etcd-servers http://127.0.0.1:2379 --secure-port 6443 --advertise-address "$gateway" \
    --tls-cert-file "$pki/apiserver.crt" --tls-private-key-file "$pki/apiserver.key" --token-auth-file "$pki/tokens.csv" \
    --authorization-mode Node,RBAC --service-cluster-ip-range "$services" --allow-privileged \
    --service-account-issuer https://kubernetes.default.svc.cluster.local --service-account-key-file "$pki/sa.pub" \
    --service-account-signing-key-file "$pki/sa.key" --kubelet-preferred-address-types InternalIP \
    --kubelet-client-certificate "$pki/kubelet-client.crt" --kubelet-client-key "$pki/kubelet-client.key" \
    --enable-admission-plugins NodeRestriction,OwnerReferencesPermissionEnforcement \
    --audit-policy-file "$dir/audit.yaml" --audit-log-path "$log/audit.log" --audit-log-maxsize 50 --audit-log-maxbackup 1
  until_true 60 kube-apiserver k get --raw /readyz
}

# Logs the requests of service accounts other than those of Kubernetes. A test compares them with their rights.
audit_policy() {
  write "$dir/audit.yaml" <<YAML
apiVersion: audit.k8s.io/v1
kind: Policy
# Logs a watch when it begins, because it may end after the test.
omitStages: [RequestReceived]
rules:
  - {level: None, userGroups: ["system:serviceaccounts:kube-system"]}
  - {level: Metadata, userGroups: ["system:serviceaccounts"]}
  - {level: None}
YAML
}
