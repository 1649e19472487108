#!/bin/sh
# The server without words, else a command; it works on the server of this machine unless it says otherwise. Its settings are
# those of the unit: the environment, then the file.
settings=/etc/zonewright/zonewright.env
if [ -r $settings ]; then
  while IFS= read -r line; do
    name=${line%%=*}
    case $name in ZONEWRIGHT_*) ;; *) continue ;; esac
    case $name in "$line" | *[!A-Z_]*) continue ;; esac
    value=${line#*=}
    case $value in \"*\" | \'*\') value=${value#?} value=${value%?} ;; esac
    eval "[ \"\${$name+set}\" ]" || export "$name=$value"
  done < $settings
fi
export ZONEWRIGHT_DATA_DIR="${ZONEWRIGHT_DATA_DIR:-/var/lib/zonewright}"
export MALLOC_MMAP_THRESHOLD_=131072
set -- /usr/lib/zonewright/node --max-semi-space-size=8 /usr/lib/zonewright/dist/main.js "$@"
# Root's commands on the files of the server work as their owner: the server could not use what belongs to root.
case $4 in
  '' | -* | start | check | restore | store)
    if [ "$(id -u)" = 0 ] && [ "$(stat -c %U "$ZONEWRIGHT_DATA_DIR" 2>/dev/null)" = zonewright ]; then
      export ZONEWRIGHT_DNS_LISTEN="${ZONEWRIGHT_DNS_LISTEN:-0.0.0.0:53,[::]:53}"
      set -- setpriv --reuid zonewright --regid zonewright --init-groups --inh-caps=-all,+net_bind_service \
        --ambient-caps=+net_bind_service --no-new-privs "$@"
    fi
    ;;
esac
exec "$@"
