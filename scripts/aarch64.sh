#!/usr/bin/env bash
# Cross-compiles bench for aarch64 and runs it under qemu-user: the list of variants, a short run,
# and `bench verify` of all CPU variants. No time is worth anything there. Says "skipped" and the
# command that installs what is missing; installs nothing.
#
#   scripts/aarch64.sh [FLAGS]      flags of `bench verify`  [--seeds 1 --max-items 2000]
#
#   AARCH64_ROOT    where glibc and libstdc++ for aarch64 are  [/usr/aarch64-linux-gnu]
set -euo pipefail
cd "$(dirname "$0")/.."

target=aarch64-unknown-linux-gnu
root=${AARCH64_ROOT:-/usr/aarch64-linux-gnu}

skip() {
    echo "skipped: $1; $2"
    exit 0
}
packages="apt-get install g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"
for program in qemu-aarch64 aarch64-linux-gnu-gcc aarch64-linux-gnu-g++; do
    command -v "$program" > /dev/null || skip "no $program" "$packages"
done
test -e "$root/lib/ld-linux-aarch64.so.1" || skip "no glibc for aarch64 in $root" "$packages"
test -e "$(rustc --print target-libdir --target "$target")" \
    || skip "no Rust library for $target" "rustup target add $target"

# As in .ci/build, whose level is this machine's: warnings of code for other architectures appear
# here alone.
build=(--locked --profile ci --target "$target"
    --config "build.rustflags=['-Dwarnings', '-Ctarget-cpu=generic']")
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export RECOBENCH_LAST_LEVEL_CACHE=1M

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
cargo build "${build[@]}" --bin bench
bench() { qemu-aarch64 -L "$root" "${CARGO_TARGET_DIR:-target}/$target/ci/bench" "$@"; }

bench --version
bench list > "$results/list.txt"
bench sort --digis 100k --segments 24 --max-time 100ms --quiet --out "$results/sort"
for file in run.json samples.csv summary.csv bars.png; do
    test -s "$results/sort/$file"
done
grep -q '"architecture": "aarch64"' "$results/sort/run.json"
grep -q '"built_for": "aarch64"' "$results/sort/run.json"
if [ $# = 0 ]; then set -- --seeds 1 --max-items 2000; fi
bench verify --device cpu --quiet "$@"
