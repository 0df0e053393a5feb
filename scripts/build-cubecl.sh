#!/usr/bin/env bash
# Builds plugins/cubecl: a plugin whose kernels are written in CubeCL, for bench portability. Needs
# no GPU, and no CUDA: crates come by cargo, the pinned compilers of build-kernels.sh by pip.
#
#   scripts/build-cubecl.sh           target/cubecl/libcubecl_plugin.so, for A100, H100 and B200, and
#                                     PTX for all from T4 on
#   scripts/build-cubecl.sh --test    run what CubeCL makes of its kernels on the emulator, first
#
#   CUDA_TOOLKIT=DIR          use a toolkit that is there
#   RECOBENCH_NO_NETWORK=1    skip where compilers or crates would have to be downloaded
set -euo pipefail
. "$(dirname "$0")/kernels/common.sh"
enter_repository
. scripts/kernels/toolkit.sh

is_tested=""
case ${1:-} in
    "") ;;
    --test) is_tested=1 ;;
    --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
esac

cargo=(cargo)
if [ "${RECOBENCH_NO_NETWORK:-}" = 1 ]; then
    if [ -z "${CUDA_TOOLKIT:-}" ] && ! wheels_are_there; then
        echo "skipped: the CUDA compilers are not there and RECOBENCH_NO_NETWORK is set"
        exit 0
    fi
    cargo+=(--offline)
    if ! "${cargo[@]}" metadata --locked --format-version 1 \
        --manifest-path plugins/cubecl/Cargo.toml > /dev/null 2>&1; then
        echo "skipped: the crates of plugins/cubecl are not there and RECOBENCH_NO_NETWORK is set"
        exit 0
    fi
fi
find_toolkit

export CARGO_TARGET_DIR=$PWD/target/cubecl
export CUBECL_KERNELS=$CARGO_TARGET_DIR/kernels
library=$CARGO_TARGET_DIR/libcubecl_plugin.so
in_release() {
    local command=$1
    shift
    "${cargo[@]}" "$command" --quiet --locked --release --manifest-path plugins/cubecl/Cargo.toml "$@"
}

# As the images of build-kernels.sh, so that what is compared is what CubeCL writes, and not who
# compiles it. CubeCL's sources have masks of -1, and variables that nobody uses.
compile=(
    "$cuda/bin/nvcc" -fatbin -O3 -std=c++17 -diag-suppress 68,177 -Xptxas -v --compress-mode=size
    -gencode=arch=compute_80,code=sm_80
    -gencode=arch=compute_90,code=sm_90
    -gencode=arch=compute_100,code=sm_100
    -gencode=arch=compute_75,code=compute_75
)

if [ -n "$is_tested" ]; then in_release test -p cubecl-emulated --test kernels; fi
rm -rf "$CUBECL_KERNELS"
in_release run -p cubecl-kernels -- "$CUBECL_KERNELS"
for source in "$CUBECL_KERNELS"/*.cu; do
    "${compile[@]}" -o "${source%.cu}.fatbin" "$source" > "${source%.cu}.log" 2>&1 \
        || { cat "${source%.cu}.log" >&2; fail "what CubeCL makes of its kernels does not compile"; }
    echo "$(basename "$source" .cu), sm_90: $(grep -A3 "for 'sm_90'" "${source%.cu}.log" \
        | sed -n 's/^ptxas info *: \(Used [0-9]* registers\).*/\1/p; s/^ *\(.* spill loads\)$/\1/p' \
        | paste -sd ' ')"
done
if [ -n "$is_tested" ]; then in_release test -p cubecl-plugin --lib; fi
in_release build -p cubecl-plugin
# Not written over: a bench that runs may have it open.
cp "$CARGO_TARGET_DIR/release/libcubecl_plugin.so" "$library.new"
mv "$library.new" "$library"
if ldd "$library" | grep -vE 'linux-vdso|libc\.so|libm\.so|libgcc_s\.so|ld-linux'; then
    fail "$library needs more than the C library: see above"
fi
echo "$library, $(($(stat -c %s "$library") / 1000)) kB: bench portability --plugin $library"
