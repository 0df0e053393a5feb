# What the scripts about kernels share; to be sourced.
# shellcheck shell=bash

# shellcheck disable=SC2034 # used by those who source this
committed=algorithms/kernels/prebuilt
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
    find algorithms/src -path '*/cuda/*.cu' | LC_ALL=C sort
}

# TASK-VARIANT, from .../TASK/cuda/VARIANT.cu.
image_name() {
    local task
    task=$(basename "$(dirname "$(dirname "$1")")")
    echo "$task-$(basename "$1" .cu)"
}
