# Finds the CUDA toolkit, or installs the pinned wheels below target/. To be
# sourced after common.sh. `find_toolkit` sets
#
#   cuda     the folder with bin/nvcc and bin/cuobjdump
#   nvrtc    the library of NVRTC 12.0; empty if CUDA_TOOLKIT has none
# shellcheck shell=bash

wheels=target/cuda-toolkit
pins=scripts/kernels/toolkit.txt

find_toolkit() {
    if [ -z "${CUDA_TOOLKIT:-}" ]; then
        install_wheels
    fi
    local folder=${CUDA_TOOLKIT:-$wheels}
    cuda=$folder
    if [ -d "$folder/nvidia/cu13" ]; then cuda=$folder/nvidia/cu13; fi
    if [ ! -x "$cuda/bin/nvcc" ]; then fail "$folder: no nvcc in bin/ (CUDA_TOOLKIT)"; fi
    nvrtc=$folder/nvidia/cuda_nvrtc/lib/libnvrtc.so.12
    if [ ! -e "$nvrtc" ]; then nvrtc=; fi
    export cuda nvrtc
    # What a user's settings add would be in the images.
    unset NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH
}

pinned_nvcc() {
    sed -n 's/^nvidia-cuda-nvcc==\([0-9.]*\).*/\1/p' "$pins"
}

# Images for everybody come from the pinned compilers only.
require_pinned() {
    local version
    version=$("$cuda/bin/nvcc" --version | sed -n 's/.*, V\([0-9.]*\)$/\1/p')
    if [ "$version" != "$(pinned_nvcc)" ] || [ -z "$nvrtc" ]; then
        fail "$CUDA_TOOLKIT has nvcc $version and ${nvrtc:-no NVRTC 12.0}, but the images in" \
            "${committed:?set by common.sh} are made by the compilers of $pins:" \
            "leave CUDA_TOOLKIT out, or try it with --dry-run"
    fi
}

wheels_are_there() {
    cmp -s "$pins" "$wheels/installed.txt"
}

install_wheels() {
    if wheels_are_there; then return; fi
    local fresh=$wheels.new
    rm -rf "$fresh"
    mkdir -p "$(dirname "$wheels")"
    python3 -m pip install --quiet --root-user-action ignore --no-deps --only-binary :all: \
        --require-hashes --no-compile --target "$fresh" --requirement "$pins" \
        || fail "the compilers of $pins can't be installed (see above)." \
        "That needs python3 with pip and a package index, once. Without:" \
        "CUDA_TOOLKIT=DIR takes a toolkit that is there, RECOBENCH_NO_NETWORK=1 skips the kernels"
    cp "$pins" "$fresh/installed.txt"
    rm -rf "$wheels"
    mv "$fresh" "$wheels"
}
