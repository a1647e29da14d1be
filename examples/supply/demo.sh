#!/bin/sh
# The supply-chain example, told in a few commands; they run in out/. `make demo` calls this with the environment it made.
set -eu
mkdir -p "$(dirname "$0")/../../out"
cd "$(dirname "$0")/../../out"

tell() { printf '\n\n== %s\n' "$*"; }
try() {
    printf '\n$ %s\n' "$1"
    eval "$1"
}

tell "Two regions are closed. Which products are lost, at what value, and which are safe?"
try "tidelog run ../examples/supply/supply.rls"

tell "Why can the wheelchair not be made? The proof goes down to rows of the tables."
try "tidelog explain ../examples/supply/supply.rls 'stopped(wheelchair)'"

tell "And why is the city bike safe? (An exit code of 1 says that the fact does not hold.)"
try "tidelog explain ../examples/supply/supply.rls 'stopped(city_bike)' || true"

tell "The island opens again. What appears, what vanishes? Only what depends on it is worked out anew."
try "tidelog run ../examples/supply/supply.rls --update ../examples/supply/island-opens.ndjson --changes -"

tell "The same rules over a company a thousand times as large: more than four million conclusions."
try "python ../examples/supply/generate.py large 4000"
try "tidelog run ../examples/supply/supply.rls --input large --out large-results --stats"

tell "There, too, an update takes milliseconds."
try "echo '{\"insert\": [[\"closed\", \"region_7\"]]}' > region.ndjson"
try "tidelog run ../examples/supply/supply.rls --input large --update region.ndjson --changes large-changes --limit 5 --stats"

tell "The results are in out/large-results, the rules in examples/supply/supply.rls. Change a table and run 'make demo' again;
   README.md has the first steps with rules of your own."
