#!/usr/bin/env bash
# Shows the machine code of a kernel, or how wide kernels access global memory.
#
#   scripts/kernel-sass.sh KERNEL [ARCH]      the machine code (ARCH: sm_90)
#   scripts/kernel-sass.sh --wide [KERNEL]    loads and stores by width in bits
#
# Looks into what build-kernels.sh has built last here, else into the images of
# the repository. CUDA_TOOLKIT=DIR as there.
set -euo pipefail
. "$(dirname "$0")/kernels/common.sh"
enter_repository
. scripts/kernels/toolkit.sh

# Of the images that have what is asked for; cuobjdump warns of the others.
disassemble() {
    local image code
    for image in "${images[@]}"; do
        code=$("$cuda/bin/cuobjdump" -sass "$@" "$image" 2> /dev/null) || true
        if grep -q 'Function :' <<< "$code"; then echo "$code"; fi
    done
}

wide=
case ${1:-} in
    --help) usage; exit 0 ;;
    --wide) wide="any architecture"; shift ;;
    "" | -*) usage >&2; exit 2 ;;
esac
kernel=${1:-}
arch=${2:-${wide:-sm_90}}
options=()
if [ -n "$kernel" ]; then options+=(-fun "$kernel"); fi
if [ -z "$wide" ]; then options+=(-arch "$arch"); fi

mapfile -t images < <(find "$built" -name '*.fatbin' 2> /dev/null | LC_ALL=C sort)
if [ ${#images[@]} = 0 ]; then
    mapfile -t images < <(committed_images)
fi
if [ ${#images[@]} = 0 ]; then fail "no images: run scripts/build-kernels.sh"; fi
find_toolkit
code=$(disassemble "${options[@]}")
if [ -z "$code" ]; then
    echo "there are:" >&2
    disassemble | sed -n 's/.*Function : /  /p' | LC_ALL=C sort -u >&2
    fail "no kernel $kernel for $arch in $(dirname "${images[0]}")"
fi
if [ -n "$wide" ]; then
    python3 scripts/kernels/sass.py <<< "$code"
else
    echo "$code"
fi
