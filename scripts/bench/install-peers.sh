#!/bin/sh
# Installs what the benchmarks compare with and load with, from Debian. Nothing of it is started: a benchmark starts
# its own, with its own configuration.
set -eu
exec "$(dirname "$0")/../install-packages.sh" \
  nsd knot bind9 pdns-server pdns-backend-bind pdns-backend-sqlite3 dnsperf gcc libc6-dev util-linux
