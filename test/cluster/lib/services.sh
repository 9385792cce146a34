# shellcheck shell=bash
# Services for tests beside the cluster: an S3 server that pods can reach, and a Docker engine.
s3() {
  need_debian_root
  need_packages iproute2 procps
  mkdir -p "$dir/built"
  linked versitygw || locked build build_each versitygw
  locked state start_s3
  echo "export S3_ENDPOINT=http://$gateway:7070 AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test-secret AWS_REGION=us-east-1"
}
start_s3() {
  network
  mkdir -p "$dir/s3/data" "$dir/s3/meta"
  start versitygw env ROOT_ACCESS_KEY=test ROOT_SECRET_KEY=test-secret "$bin/versitygw" --quiet --port :7070 posix --sidecar "$dir/s3/meta" "$dir/s3/data"
  until_true 10 versitygw bash -c 'exec 3<>/dev/tcp/127.0.0.1/7070'
}

docker() { # `command docker` is the client
  need_debian_root
  need_packages containerd runc containernetworking-plugins iproute2 docker.io
  build_pause
  locked images start_docker
  echo "export DOCKER_HOST=unix://$docker_socket TESTCONTAINERS_RYUK_DISABLED=true"
}
start_docker() {
  locked state start_docker_daemon
  base_images
  local t; t=$(mktemp -u --suffix=.tar)
  for i in debian:bookworm-slim node:24-bookworm-slim; do
    docker_client image inspect "$i" >/dev/null 2>&1 && continue
    buildah push -q "docker.io/library/$i" "docker-archive:$t:$i"
    docker_client load -q -i "$t" >&2
    rm -f "$t"
  done
}
start_docker_daemon() {
  start_containerd
  start dockerd dockerd --data-root "$dir/docker" --exec-root /run/tearsheet-cluster/docker --pidfile /run/tearsheet-cluster/docker.pid \
    -H "unix://$docker_socket" --containerd "$containerd_socket"
  until_true 30 dockerd docker_client version
}
docker_client() { command docker -H "unix://$docker_socket" "$@"; }
