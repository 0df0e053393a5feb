#!/usr/bin/env bash
# Builds the container image with the engine that is there and tries it; says
# "skipped" where there is none that works.
#
#   scripts/container.sh
#   scripts/container.sh push NAME    publishes the image that was built before, with REGISTRY_USER and
#                                     REGISTRY_TOKEN
set -euo pipefail
cd "$(dirname "$0")/.."

for candidate in podman docker; do
    if command -v "$candidate" > /dev/null && timeout 20 "$candidate" info > /dev/null 2>&1; then
        engine=$candidate
        break
    fi
done
if [ -z "${engine:-}" ]; then
    echo "skipped: no container engine that works (podman or docker)"
    exit 0
fi
if [ "${1:-}" = push ]; then
    name=${2:?usage: scripts/container.sh push NAME}
    "$engine" login "${name%%/*}" --username "${REGISTRY_USER:?}" --password-stdin <<< "${REGISTRY_TOKEN:?}"
    "$engine" tag recobench "$name"
    "$engine" push "$name"
    exit 0
fi
commit=$(git rev-parse --short=12 HEAD 2> /dev/null || true)
"$engine" build -f Containerfile -t recobench --build-arg COMMIT="$commit" .
"$engine" run --rm recobench verify
"$engine" image ls recobench
