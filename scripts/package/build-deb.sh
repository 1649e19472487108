#!/bin/sh
# build-deb.sh [directory [version]]: builds zonewright_<version>_<architecture>.deb, with the Node.js that runs this build
# in it, since distributions have older ones. Needs dpkg-deb and npm.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
top=$(dirname -- "$(dirname -- "$here")")
mkdir -p -- "${1:-.}"
out=$(realpath -- "${1:-.}")
cd "$top"
node scripts/run.mjs build
# The Node.js that runs the server here: this one, or the one in scripts/runtime where this is too old.
node=$(node scripts/run.mjs node)
PATH=$(dirname -- "$node"):$PATH
version=${2:-$("$node" -p "require('./package.json').version")}
architecture=$(dpkg --print-architecture)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
lib=$root/usr/lib/zonewright
install -d -m 0755 "$root" "$lib" "$root/DEBIAN" "$root/etc/zonewright"
cp -R dist package.json package-lock.json .npmrc "$lib"
install -m 0755 "$node" "$lib/node"
(cd "$lib" && npm ci --omit=dev --ignore-scripts --no-audit --no-fund >/dev/null && rm -f package-lock.json .npmrc)
install -D -m 0755 "$here/zonewright.sh" "$root/usr/bin/zonewright"
install -D -m 0644 "$here/zonewright.service" "$root/usr/lib/systemd/system/zonewright.service"
install -D -m 0644 "$here/zonewright.sysusers" "$root/usr/lib/sysusers.d/zonewright.conf"
install -D -m 0644 "$here/zonewright.tmpfiles" "$root/usr/lib/tmpfiles.d/zonewright.conf"
install -D -m 0644 LICENSE "$root/usr/share/doc/zonewright/copyright"
install -m 0644 README.md CHANGELOG.md "$root/usr/share/doc/zonewright"
cp -R --parents --no-preserve=mode docs scripts/ops "$root/usr/share/doc/zonewright"
install -d -m 0755 "$root/usr/share/bash-completion/completions" "$root/usr/share/fish/vendor_completions.d" \
  "$root/usr/share/zsh/vendor-completions"
"$node" "$lib/dist/main.js" completion bash > "$root/usr/share/bash-completion/completions/zonewright"
"$node" "$lib/dist/main.js" completion fish > "$root/usr/share/fish/vendor_completions.d/zonewright.fish"
"$node" "$lib/dist/main.js" completion zsh > "$root/usr/share/zsh/vendor-completions/_zonewright"
install -m 0640 "$here/zonewright.env" "$root/etc/zonewright/zonewright.env"
install -m 0755 "$here/postinst" "$here/prerm" "$here/postrm" "$root/DEBIAN"
echo /etc/zonewright/zonewright.env > "$root/DEBIAN/conffiles"
cat > "$root/DEBIAN/control" <<CONTROL
Package: zonewright
Version: $version
Architecture: $architecture
Maintainer: The Zonewright authors <zonewright@example.org>
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: libc6 (>= 2.28), libstdc++6, systemd
Section: net
Priority: optional
Description: DNS appliance: zones over REST, authoritative answers, metered usage
 One process that manages zones over a REST API in the manner of OpenStack
 Designate, answers DNS from the same live store, and meters and prices usage.
CONTROL
dpkg-deb --root-owner-group -Zgzip --build "$root" "$out/zonewright_${version}_$architecture.deb"
