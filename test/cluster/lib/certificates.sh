# shellcheck shell=bash
certificates() {
  [ -f "$pki/node.kubeconfig" ] && return 0
  (
    cd "$pki" || exit
    openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 3650 -subj /CN=test-cluster 2>/dev/null
    openssl genrsa -out sa.key 2048 2>/dev/null
    openssl rsa -in sa.key -pubout -out sa.pub 2>/dev/null
    printf 'subjectAltName=IP:127.0.0.1,IP:%s,IP:10.96.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local\n' "$gateway" > san
    signed apiserver /CN=kube-apiserver -extfile san
    signed kubelet-client /O=system:masters/CN=apiserver
  )
  local admin kcm scheduler node
  admin=$(openssl rand -hex 16) kcm=$(openssl rand -hex 16) scheduler=$(openssl rand -hex 16) node=$(openssl rand -hex 16)
  cat > "$pki/tokens.csv" <<CSV
$admin,admin,1,"system:masters"
$kcm,system:kube-controller-manager,2
$scheduler,system:kube-scheduler,3
$node,system:node:node-1,4,"system:nodes"
CSV
  kubeconfig admin "$admin"; kubeconfig kcm "$kcm"; kubeconfig scheduler "$scheduler"; kubeconfig node "$node"
}

signed() { # name subject [options of the signature…]
  local name=$1 subject=$2; shift 2
  openssl req -newkey rsa:2048 -nodes -keyout "$name.key" -out "$name.csr" -subj "$subject" 2>/dev/null
  openssl x509 -req -in "$name.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -out "$name.crt" -days 3650 "$@" 2>/dev/null
}

kubeconfig() {
  cat > "$pki/$1.kubeconfig" <<YAML
apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: "https://127.0.0.1:6443", certificate-authority: $pki/ca.crt}}]
users: [{name: $1, user: {token: "$2"}}]
contexts: [{name: test, context: {cluster: test, user: $1}}]
current-context: test
YAML
}
