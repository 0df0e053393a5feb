#!/usr/bin/env bash
# Compiles one kernel file for GPUs by AMD, for build-hip.sh:
#
#   compile.sh FOLDER "gfx90a gfx1030" SOURCE      FOLDER/NAME.hsaco
set -euo pipefail
. "$(dirname "$0")/../kernels/common.sh"

read -ra architectures <<< "$2"
source=$3

flags=(-std=c++17 -O3 -Wall -Werror "${headers[@]}")
# The second of __launch_bounds__(THREADS, BLOCKS) is warps of a SIMD for clang, which may say that
# it can't have so many: slower perhaps, but no error.
flags+=(-Wno-error=pass-failed)
# What a kernel file asks nvcc for, in clang's words.
if grep -q '^// nvcc: -fmad=false$' "$source"; then flags+=(-ffp-contract=off); fi

"$HIPCC" --genco -x hip "${flags[@]}" "${architectures[@]/#/--offload-arch=}" \
    -o "$1/$(image_name "$source").hsaco" "$source"
