#!/usr/bin/env bash
# Compiles one kernel file to its image, for build-kernels.sh and tune.sh:
#
#   compile.sh SOURCE [ARCH...]
#
#   NAME.fatbin   machine code for each of the architectures below, and PTX of ISA 8.0 for
#                 sm_75 and later, which drivers compile for other GPUs. Not compressed,
#                 so that git stores changes as deltas; the build of bench compresses it.
#   NAME.log      registers and spills, by ptxas
#   NAME.sass     the machine code to read
#
# With ARCH (90) the image has machine code for these architectures alone.
set -euo pipefail
. "$(dirname "$0")/common.sh"

source=$1
image=$built/$(image_name "$source")
parts=$image.parts
architectures=(80 90 100)
portable=75
if [ $# -gt 1 ]; then
    architectures=("${@:2}")
    portable=""
fi

flags=(-std=c++17 "${headers[@]}")

# A kernel file may ask for flags of its own, in lines "// nvcc: FLAGS".
mapfile -t own < <(sed -n 's|^// nvcc: ||p' "$source")
flags+=("${own[@]}")

mkdir -p "$parts"
images=()
for arch in "${architectures[@]}"; do
    python3 scripts/kernels/nvrtc.py "${nvrtc:?set by find_toolkit}" "$source" "$parts/$arch.ptx" \
        "--gpu-architecture=compute_$arch" "${flags[@]}"
    "${ptxas:?}" -O3 -v -Werror "-arch=sm_$arch" -o "$parts/$arch.cubin" "$parts/$arch.ptx" \
        2>> "$parts/log" || { cat "$parts/log" >&2; exit 1; }
    images+=("--image3=kind=elf,sm=$arch,file=$parts/$arch.cubin")
done
if [ -n "$portable" ]; then
    # Without warnings: the old compiler has false ones.
    python3 scripts/kernels/nvrtc.py "${portable_nvrtc:?}" "$source" "$parts/$portable.ptx" \
        "--gpu-architecture=compute_$portable" --disable-warnings "${flags[@]}"
    images+=("--image3=kind=ptx,sm=$portable,file=$parts/$portable.ptx")
fi
"${fatbinary:?}" -64 --compress-mode=none "${images[@]}" "--create=$image.fatbin"
mv "$parts/log" "$image.log"
# Later disassemblers warn about the format of each image.
"${cuobjdump:?}" -sass "$image.fatbin" > "$image.sass" 2> "$parts/cuobjdump.log" \
    || { cat "$parts/cuobjdump.log" >&2; exit 1; }
