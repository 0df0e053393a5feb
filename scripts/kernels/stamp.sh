# Whether anything has changed since kernels were built; to be sourced. What takes minutes and
# gives the same bytes again is left to the night.
# shellcheck shell=bash

# The files whose contents decide about the images, the images themselves included.
image_ingredients() {
    find "${crates[@]/%//src}" \( -path '*/cuda/*.cu' -o -path '*/cuda/*.h' \) -print
    find "${crates[@]/%//kernels}" gpu/build/include -type f ! -name '*.wgsl' -print
    echo cuda-emulator/build/include/portable.h
    compilers
}

# The same for the baselines of NVIDIA's libraries.
cub_ingredients() {
    find algorithms/cub -type f ! -name stamp -print
    echo docs/plugin/recobench.h
    compilers
}

compilers() {
    echo scripts/build-kernels.sh
    find scripts/kernels -type f ! -name '*.pyc' ! -name 'stamp.*' -print
}

# A hash of what `$1_ingredients` names.
stamp_of() {
    "$1_ingredients" | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-64
}

# Where it stands.
stamp_file() {
    case $1 in
        image) echo scripts/kernels/stamp.images ;;
        cub) echo algorithms/cub/stamp ;;
    esac
}

write_stamp() { stamp_of "$1" > "$(stamp_file "$1")"; }

stamp_fits() { [ "$(stamp_of "$1")" = "$(cat "$(stamp_file "$1")" 2> /dev/null)" ]; }
