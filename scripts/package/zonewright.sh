#!/bin/sh
# The server without words, else a command; it works on the server of this machine unless it says otherwise.
export ZONEWRIGHT_DATA_DIR="${ZONEWRIGHT_DATA_DIR:-/var/lib/zonewright}"
export MALLOC_MMAP_THRESHOLD_=131072
exec /usr/lib/zonewright/node --max-semi-space-size=8 /usr/lib/zonewright/dist/main.js "$@"
