#!/usr/bin/env bash
# The store of nightly runs as an asset of the release "nightly-store": there it lasts, whereas
# caches are evicted, and an accepted run with them. For workflows of GitHub; needs `gh`.
#
#   scripts/nightly-store.sh get DIR     unpacks the store, if there is one
#   scripts/nightly-store.sh put DIR     packs it
set -euo pipefail
action=$1 folder=$2
tag=nightly-store

# The names of all packed stores, the newest last.
packed() {
    gh release view "$tag" --json assets \
        --jq '[.assets[] | select(.name | startswith("store-"))] | sort_by(.createdAt) | .[].name'
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A list that can't be read ends this: that is not a store that never was.
gh release list --limit 1000 --json tagName --jq '.[].tagName' > "$work/tags"
is_released() { grep -qx "$tag" "$work/tags"; }
case $action in
    get)
        if ! is_released; then
            echo "nightly-store: there is no store yet" >&2
            exit 0
        fi
        packed > "$work/packed"
        newest=$(tail -n 1 "$work/packed")
        gh release download "$tag" --pattern "${newest:?the release has no store}" --dir "$work"
        mkdir -p "$folder"
        tar -xzf "$work/$newest" -C "$folder"
        ;;
    put)
        name="store-${GITHUB_RUN_ID:-0}-${GITHUB_RUN_ATTEMPT:-0}.tar.gz"
        tar -czf "$work/$name" -C "$folder" .
        if ! is_released; then
            gh release create "$tag" --prerelease --title "Store of nightly runs" \
                --notes "Kept by the nightly workflow: scripts/nightly-store.sh"
        fi
        # The earlier one goes once the new one is there.
        gh release upload "$tag" "$work/$name"
        packed > "$work/packed"
        head -n -2 "$work/packed" | while read -r old; do
            gh release delete-asset "$tag" "$old" --yes
        done
        ;;
    *)
        echo "nightly-store: get or put, not $action" >&2
        exit 2
        ;;
esac
