#!/bin/sh
# Sorts digis by side, module, channel and time, as bench orders them: sort-digis.sh INPUT OUTPUT THREADS
set -e
export LC_ALL=C
head -n 1 "$1" > "$2"
tail -n +2 "$1" | sort --stable --parallel="$3" -t , -k 2,2n -k 1,1n -k 3,3n -k 4,4n >> "$2"
