# Finds the CUDA toolkit, or installs the pinned wheels below target/. To be
# sourced after common.sh. `find_toolkit` sets
#
#   cuda             the folder with bin/nvcc
#   nvrtc, ptxas     the compilers of the machine code
#   portable_nvrtc   NVRTC 12.0, for PTX that all drivers of CUDA 12 understand;
#                    with CUDA_TOOLKIT that toolkit's own
#   fatbinary, cuobjdump
# shellcheck shell=bash

wheels=target/cuda-toolkit
pins=scripts/kernels/toolkit.txt
portable_pins=scripts/kernels/toolkit-portable.txt

find_toolkit() {
    if [ -z "${CUDA_TOOLKIT:-}" ]; then
        install_wheels
        cuda=$wheels/nvidia/cu13
        nvrtc=$wheels/nvidia/cuda_nvrtc/lib/libnvrtc.so.12
        ptxas=$wheels/nvidia/cuda_nvcc/bin/ptxas
        portable_nvrtc=$wheels/portable/nvidia/cuda_nvrtc/lib/libnvrtc.so.12
    else
        cuda=$CUDA_TOOLKIT
        # Most toolkits have one of the two folders.
        nvrtc=$({ find "$cuda/lib64" "$cuda/lib" -name 'libnvrtc.so*' 2> /dev/null || true; } \
            | LC_ALL=C sort | head -n 1)
        ptxas=$cuda/bin/ptxas
        portable_nvrtc=$nvrtc
        if [ -z "$nvrtc" ]; then fail "$cuda: no libnvrtc.so in lib64/ (CUDA_TOOLKIT)"; fi
    fi
    fatbinary=$cuda/bin/fatbinary
    cuobjdump=$cuda/bin/cuobjdump
    if [ ! -x "$cuda/bin/nvcc" ]; then fail "$cuda: no nvcc in bin/ (CUDA_TOOLKIT)"; fi
    export cuda nvrtc ptxas portable_nvrtc fatbinary cuobjdump
    # Options of a user would be in the images.
    unset NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH
}

# Images for everybody come from the pinned compilers only.
require_pinned() {
    if [ -n "${CUDA_TOOLKIT:-}" ]; then
        fail "the images in ${committed:?set by common.sh} are made by the compilers of $pins:" \
            "leave CUDA_TOOLKIT out, or try it with --dry-run"
    fi
}

wheels_are_there() {
    cat "$pins" "$portable_pins" | cmp -s - "$wheels/installed.txt"
}

install_wheels() {
    if wheels_are_there; then return; fi
    local fresh=$wheels.new
    rm -rf "$fresh"
    mkdir -p "$(dirname "$wheels")"
    install_pins "$pins" "$fresh"
    install_pins "$portable_pins" "$fresh/portable"
    chmod +x "$fresh/nvidia/cuda_nvcc/bin/ptxas"
    cat "$pins" "$portable_pins" > "$fresh/installed.txt"
    rm -rf "$wheels"
    mv "$fresh" "$wheels"
}

install_pins() {
    python3 -m pip install --quiet --root-user-action ignore --no-deps --only-binary :all: \
        --require-hashes --no-compile --target "$2" --requirement "$1" \
        || fail "the compilers of $1 can't be installed (see above)." \
        "That needs python3 with pip and a package index, once. Without:" \
        "CUDA_TOOLKIT=DIR takes a toolkit that is there, RECOBENCH_NO_NETWORK=1 skips the kernels"
}
