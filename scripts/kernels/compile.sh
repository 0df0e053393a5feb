#!/usr/bin/env bash
# Compiles one kernel file to its images, for build-kernels.sh:
#
#   NAME.fatbin   machine code for A100, H100 and B200, PTX for all from T4 on
#   NAME.ptx      for drivers that don't know CUDA 13, compiled when loaded
#   NAME.log      what ptxas says of registers and spills
#   NAME.sass     the machine code to read
set -euo pipefail
. "$(dirname "$0")/common.sh"

source=$1
image=$built/$(image_name "$source")

# Folders are relative: an image must not depend on where it was built.
flags=(-std=c++17 -I algorithms/kernels -I cuda-emulator/build/include)
architectures=(
    "-gencode=arch=compute_80,code=sm_80"
    "-gencode=arch=compute_90,code=sm_90"
    "-gencode=arch=compute_100,code=sm_100"
    "-gencode=arch=compute_75,code=compute_75"
)

# A kernel file may ask for flags of its own, in lines "// nvcc: FLAGS".
mapfile -t own < <(sed -n 's|^// nvcc: ||p' "$source")
flags+=("${own[@]}")

# Names of static functions hold a hash of the source's absolute path; give it the
# relative one.
"${cuda:?set by find_toolkit}/bin/nvcc" -fatbin -O3 "${flags[@]}" "${architectures[@]}" \
    --compress-mode=size -Werror all-warnings -Xptxas -v -Xcicc "--orig_src_path_name=$source" \
    -o "$image.fatbin" "$source" > "$image.log" 2>&1 || { cat "$image.log" >&2; exit 1; }
"$cuda/bin/cuobjdump" -sass "$image.fatbin" > "$image.sass"
if [ -n "$nvrtc" ]; then
    python3 scripts/kernels/nvrtc.py "$nvrtc" "$source" "$image.ptx" "${flags[@]}"
fi
