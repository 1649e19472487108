#!/usr/bin/env bash
# Makes db2 a standby of db1 where it is not one yet, and runs it.
set -euo pipefail
export PGPASSWORD
PGPASSWORD=$(cat /run/secrets/db-password)
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  until pg_basebackup --host db1 --username zonewright --pgdata "$PGDATA" --write-recovery-conf --wal-method stream; do sleep 1; done
  chmod 0700 "$PGDATA"
fi
exec postgres
