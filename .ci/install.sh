#!/bin/sh
# Installs the packages of requirements.txt and the project itself into the environment of a Python, side by side: pip's
# time goes into choosing among all releases that there are, on one core. Python compiles later what it really loads.
set -eu
python=$1
install() {
  "$python" -m pip install --quiet --disable-pip-version-check --no-compile "$@"
}
half() {
  awk -v half="$1" 'NR % 2 == half' requirements.txt | install --no-deps -r /dev/stdin
}
half 0 & even=$!
half 1 & odd=$!
install --no-deps -e . & own=$!
wait $even
wait $odd
wait $own
# What a list made on Linux lacks elsewhere; here there is nothing left to do.
install -r requirements.txt
