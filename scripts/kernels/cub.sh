#!/usr/bin/env bash
# Builds the baselines of NVIDIA's libraries (algorithms/cub), for build-kernels.sh --cub: a
# plugin that bench finds beside itself. It holds machine code for A100, H100 and B200,
# and PTX for what comes later; with CUB_ARCHITECTURE=90 for that one only, in a third
# of the time. Nothing of it is ever committed.
set -euo pipefail
. "$(dirname "$0")/common.sh"
cd "$(dirname "$0")/../.."
. scripts/kernels/toolkit.sh

library=target/release/libcub_baseline.so
objects=target/cub

if [ "${RECOBENCH_NO_NETWORK:-}" = 1 ] && [ -z "${CUDA_TOOLKIT:-}" ] && ! wheels_are_there; then
    echo "skipped: the CUDA compilers are not there and RECOBENCH_NO_NETWORK is set"
    exit 0
fi
find_toolkit
cccl=$cuda/include/cccl
if [ ! -e "$cccl/cub/cub.cuh" ]; then cccl=$cuda/include; fi
if [ ! -e "$cccl/cub/cub.cuh" ]; then fail "$cuda: no cub/cub.cuh in include/ (CUDA_TOOLKIT)"; fi

compile=(
    "$cuda/bin/nvcc" -c -std=c++17 -O3 -Werror all-warnings
    -Xcompiler "-fPIC,-fvisibility=hidden,-Wall"
    -I docs/plugin "${headers[@]}" -I "$cccl" -DCCCL_DISABLE_NVTX
)
if [ -n "${CUB_ARCHITECTURE:-}" ]; then
    compile+=("-gencode=arch=compute_$CUB_ARCHITECTURE,code=sm_$CUB_ARCHITECTURE")
else
    compile+=(
        -gencode=arch=compute_80,code=sm_80
        -gencode=arch=compute_90,code=sm_90
        "-gencode=arch=compute_100,code=[sm_100,compute_100]"
    )
fi
# Of the C++ library no more than what is used, so that the C library is enough.
link=(
    "$cuda/bin/nvcc" -shared -cudart static -L "$cuda/lib" -L "$cuda/lib64"
    -Xcompiler "-static-libstdc++,-static-libgcc" -Xlinker "--exclude-libs,ALL"
)

rm -rf "$objects"
mkdir -p "$objects" "$(dirname "$library")"
for source in algorithms/cub/*.cu; do
    printf '%s\0' -o "$objects/$(basename "$source" .cu).o" "$source"
done | xargs -0 -n 3 -P "$(nproc)" "${compile[@]}" || fail "CUB does not compile (see above)"
"${link[@]}" -o "$library.new" "$objects"/*.o || fail "CUB does not link (see above)"
# Not written over: a bench that runs may have it open.
mv "$library.new" "$library"
if ldd "$library" | grep -vE 'linux-vdso|libc\.so|libm\.so|ld-linux'; then
    fail "$library needs more than the C library: see above"
fi
echo "$library, $(($(stat -c %s "$library") / 1000)) kB: bench finds it there, or by --plugin"
