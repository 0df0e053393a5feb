#!/usr/bin/env bash
# Makes the picture that the README shows.
set -euo pipefail
cd "$(dirname "$0")/.."
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
cargo run --release -- sort --segments 24,1792 --order random,time --max-time 2s --out "$results/run"
cp "$results/run/bars.png" docs/images/sort-bars.png
