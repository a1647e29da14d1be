#!/bin/sh
# The supply-chain example, told in four commands. `make demo` runs this with the environment it made; the working directory is out/.
set -eu
rules=../examples/supply/supply.rls
mkdir -p "$(dirname "$0")/../../out"
cd "$(dirname "$0")/../../out"

tell() { printf '\n%s\n' "$*"; }
try() {
    printf '\n$ %s\n' "$*"
    "$@"
}

tell "Two regions are closed. Which products are lost, at what value, and which are safe? (in out/, the rules: examples/supply/supply.rls)"
try tidelog run $rules

tell "Why can the wheelchair not be made? The proof goes down to rows of the tables."
try tidelog explain $rules 'stopped(wheelchair)'

tell "And why can the city bike? Its chains came from a closed region, too."
try tidelog explain $rules 'stopped(city_bike)' || true
try tidelog query $rules 'missing(?part), replaced(?part)'

tell "The same rules over a company two hundred times as large:"
try python ../examples/supply/generate.py large 1500
try tidelog run $rules --input large --out large-results --stats

tell "The results are in out/large-results. Next: read README.md, change a table in examples/supply, run 'make demo' again."
