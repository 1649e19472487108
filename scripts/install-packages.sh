#!/usr/bin/env bash
# Installs packages of Debian, those that are missing, and lets none of them start a server: it would take port 53 and
# outlive whoever wanted the program. Called with the packages; becomes root by sudo where it is not.
set -euo pipefail

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

are_installed() {
  local states
  states=$(dpkg-query --show --showformat '${db:Status-Status}\n' "$@" 2>/dev/null) || return 1
  ! grep --quiet --invert-match --line-regexp installed <<<"$states"
}

# policy-rc.d is Debian's way to say that nothing may start. One that is there may say otherwise, so it stands aside
# for as long as this takes.
policy=/usr/sbin/policy-rc.d

forbid_services() {
  # One that already stands aside was put there by a run that did not get to its end.
  if [ -e "$policy" ] && [ ! -e "$policy.aside" ]; then as_root mv "$policy" "$policy.aside"; fi
  printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
  as_root chmod 0755 "$policy"
}

allow_services() {
  if [ -e "$policy.aside" ]; then as_root mv "$policy.aside" "$policy"; else as_root rm -f "$policy"; fi
}

if are_installed "$@"; then exit; fi
forbid_services
trap allow_services EXIT
as_root apt-get update --quiet --option Acquire::Retries=3
as_root env DEBIAN_FRONTEND=noninteractive \
  apt-get install --quiet --yes --no-install-recommends --option Acquire::Retries=3 "$@"
