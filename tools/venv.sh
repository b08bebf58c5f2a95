#!/usr/bin/env bash
# Makes the virtual environment $2 with interpreter $1 and installs the project with extra $3. Uses uv when it is there, pip otherwise.
set -euo pipefail
python=$1 venv=$2 extra=$3
"$python" - <<'PY' || exit 2
import sys
if sys.version_info < (3, 11):
    sys.exit(f"Python 3.11 or newer is needed, found {sys.version.split()[0]}; call make PYTHON=python3.12 (or another one)")
PY
if command -v uv >/dev/null 2>&1; then
  [ -x "$venv/bin/python" ] || uv venv --quiet --python "$python" "$venv"
  uv pip install --quiet --python "$venv/bin/python" -e ".[$extra]"
else
  if ! [ -x "$venv/bin/pip" ]; then
    "$python" -m venv "$venv" || { echo "python3-venv is needed: apt-get install python3-venv" >&2; exit 2; }
  fi
  "$venv/bin/pip" install --quiet --disable-pip-version-check -e ".[$extra]"
fi
