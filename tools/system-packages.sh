#!/usr/bin/env bash
# Installs the Debian packages that some tests need, when it may (root or sudo without a password).
# Without that right it says what is missing; the tests that need it then skip, or fail where CI=true.
set -uo pipefail
declare -A package=([mosquitto]=mosquitto [chromium]=chromium [ngspice]=ngspice [dot]=graphviz [openscad]=openscad [openssl]=openssl)
missing=()
for command in "${!package[@]}"; do
  command -v "$command" >/dev/null 2>&1 || [ -x "/usr/sbin/$command" ] || missing+=("${package[$command]}")
done
[ ${#missing[@]} -eq 0 ] && exit 0
if ! command -v apt-get >/dev/null 2>&1; then
  echo "not installed and no apt-get here: ${missing[*]}; the tests that need them are skipped" >&2
  exit 0
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
  else
    echo "not installed and no right to install: ${missing[*]}; the tests that need them are skipped" >&2
    exit 0
  fi
fi
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq || true
# The packaged mosquitto must not start a service of its own: tests and the hub start theirs.
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null || {
  echo "could not install: ${missing[*]}" >&2
  [ "${CI:-}" = true ] && exit 1
}
exit 0
