#!/bin/sh
# A virtual environment, on a machine that may have Python without its venv module (as Debian packages it).
set -eu
python=$1 venv=$2
[ -x "$venv/bin/python" ] && "$venv/bin/python" -m pip --version >/dev/null 2>&1 && exit 0
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  echo "logrules needs Python 3.11 or newer; set PYTHON=... for make" >&2
  exit 1
}
rm -rf "$venv"
if ! "$python" -m venv "$venv" >/dev/null 2>&1; then
  rm -rf "$venv"
  as_root=
  [ "$(id -u)" = 0 ] || as_root=sudo
  echo "setting up: $python has no venv module, installing python3-venv" >&2
  $as_root apt-get update -qq && $as_root apt-get install -y -qq python3-venv >/dev/null || {
    echo "please install python3-venv (apt-get install python3-venv) and run make again" >&2
    exit 1
  }
  "$python" -m venv "$venv"
fi
