#!/usr/bin/env bash
# Proves that all kernels compile for GPUs by AMD: see build-hip.sh. Says "skipped" where there
# is no hipcc.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v "${HIPCC:-hipcc}" > /dev/null; then
    echo "skipped: no hipcc"
    exit 0
fi
scripts/build-hip.sh target/kernels-hip
