#!/usr/bin/env bash
# Runs once, when the cluster of db1 is made: lets the standby in, and has commits wait for it from the next start on.
set -euo pipefail
echo 'host replication zonewright all scram-sha-256' >> "$PGDATA/pg_hba.conf"
psql --username "$POSTGRES_USER" --command "alter system set synchronous_standby_names = 'ANY 1 (*)'"
