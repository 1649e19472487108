#!/bin/sh
# Installs what the benchmarks compare with and load with, from Debian. Needs root. The services that the packages
# would start are stopped and disabled: a benchmark starts its own, with its own configuration.
set -eu
packages="nsd knot bind9 pdns-server pdns-backend-bind pdns-backend-sqlite3 dnsperf gcc libc6-dev util-linux"
apt-get update
DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $packages
for service in nsd knot named pdns; do
  systemctl disable --now "$service" 2>/dev/null || true
done
