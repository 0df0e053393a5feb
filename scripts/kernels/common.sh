# What the scripts about kernels share; to be sourced.
# shellcheck shell=bash

# Folders of crates with kernels in src/ and headers and images in kernels/.
crates=(gpu algorithms/lhcb algorithms/memory algorithms/sts algorithms/tpc)
# Where kernels find headers, which have to be relative: an image must not depend on where it was
# built.
# shellcheck disable=SC2034 # used by those who source this
headers=(-I algorithms/sts/kernels -I gpu/build/include -I cuda-emulator/build/include)
# shellcheck disable=SC2034
built=target/kernels

fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}

# The comment that a script begins with.
usage() {
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "scripts/${0##*/}"
}

# A file that a user names is sought from where the script was started.
enter_repository() {
    started=$PWD
    if [ -n "${CUDA_TOOLKIT:-}" ]; then CUDA_TOOLKIT=$(realpath "$CUDA_TOOLKIT"); fi
    cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit
}

kernel_sources() {
    find "${crates[@]/%//src}" -path '*/cuda/*.cu' | LC_ALL=C sort
}

# The images of all crates.
committed_images() {
    find "${crates[@]/%//kernels/prebuilt}" -name '*.fatbin' | LC_ALL=C sort
}

# Where the image of a source belongs: in kernels/prebuilt of its crate.
image_path() {
    echo "${1%%/src/*}/kernels/prebuilt/$(image_name "$1").fatbin"
}

# TASK-VARIANT, from .../TASK/cuda/VARIANT.cu.
image_name() {
    local task
    task=$(basename "$(dirname "$(dirname "$1")")")
    echo "$task-$(basename "$1" .cu)"
}
