// An entry for each cluster, those of each tile sorted by a bitonic network: see cluster_tiles.cu. A
// block a tile.
#include "cluster_tiles/tile.wgsl"

struct Arguments { blocks: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> clusters: array<Cluster>;
@group(0) @binding(1) var<storage, read> begins: array<u32>;
@group(0) @binding(2) var<storage, read> found: array<Found>;
@group(0) @binding(3) var<storage, read> tiles: array<Tile>;
@group(0) @binding(4) var<storage, read_write> entries: array<Entry>;

const NO_ENTRY = Entry(~0u, ~0u);

var<workgroup> own: array<Entry, TILE>;

// Sorts a power of two of entries. A barrier before; one is included.
fn sort_bitonically(size: u32) {
    for (var run = 2u; run <= size; run *= 2u) {
        for (var distance = run / 2u; distance > 0u; distance /= 2u) {
            for (var pair = thread; pair < size / 2u; pair += THREADS) {
                let low = 2u * pair - (pair & (distance - 1u));
                let high = low + distance;
                let ascends = (low & run) == 0u;
                let a = own[low];
                let b = own[high];
                if is_earlier(b, a) == ascends {
                    own[low] = b;
                    own[high] = a;
                }
            }
            workgroupBarrier();
        }
    }
}

@compute @workgroup_size(THREADS)
fn entries_sort(place: InBlock) {
    enter(place);
    if block >= arguments.blocks { return; }
    let tile = tiles[block];
    let all = found[tile.side].clusters;
    if tile.first >= all { return; }
    let count = min(TILE, all - tile.first);
    let begin = begins[tile.side] + tile.first;
    var size = 1u;
    while size < count { size *= 2u; }
    for (var i = thread; i < size; i += THREADS) {
        own[i] = NO_ENTRY;
        if i < count { own[i] = Entry(clusters[begin + i].time, tile.first + i); }
    }
    workgroupBarrier();
    sort_bitonically(size);
    for (var i = thread; i < count; i += THREADS) { entries[begin + i] = own[i]; }
}
