#!/usr/bin/env bash
# Builds the binary that archives and wheels have for a CPU, and prints its path.
#
#   scripts/build-dist.sh x86-64-v2|x86-64-v3|x86-64-v4|aarch64 [FLAGS of cargo build]
set -euo pipefail
cd "$(dirname "$0")/.."
cpu=${1:?CPU}
shift
# With a target, the flags are not those of programs that the build runs here.
here=$(rustc --print host-tuple)
cargo build --locked --profile dist --bin bench --target "$here" \
    --config "build.rustflags=['-Ctarget-cpu=${cpu/aarch64/generic}']" "$@" >&2
echo "${CARGO_TARGET_DIR:-target}/$here/dist/bench"
