// The first digis of a tile's chains: see links.cu. Chains of a single digi and others are apart.
#include "block_scan.wgsl"
#include "sides_of_tile.wgsl"

// In ascending order, from a number of the list on; `first` is the tile's first digi.
struct Heads { first: u32, count: u32, list: u32 }
struct HeadsOfTile { singles: Heads, others: Heads }
// Chain heads among a thread's digis: a bit each.
struct ThreadHeads { singles: u32, others: u32 }

// Offset of each head in the tile, and the indices reserved for clusters.
var<workgroup> head_list: array<u32, TILE>;
var<workgroup> cluster_indices: array<u32, TILE>;

fn digi_index(heads: Heads, rank: u32) -> u32 { return heads.first + head_list[heads.list + rank]; }

// Number of heads before a position.
fn heads_before(heads: Heads, end: u32) -> u32 {
    var low = 0u;
    var high = heads.count;
    while low < high {
        let middle = (low + high) / 2u;
        if digi_index(heads, middle) < end { low = middle + 1u; } else { high = middle; }
    }
    return low;
}

fn heads_of_thread(first: u32, count: u32) -> ThreadHeads {
    var thread_heads = ThreadHeads(0u, 0u);
    if first >= count { return thread_heads; }
    let bytes = follows[first / ITEMS];
    for (var i = 0u; i < ITEMS && first + i < count; i++) {
        if (shifted_right(bytes, 8u * i).x & 0xffu) != 0u { continue; }
        if connectors[first + i] == NO_SUCCESSOR { thread_heads.singles |= 1u << i; } else { thread_heads.others |= 1u << i; }
    }
    return thread_heads;
}

// Writes the offsets of a thread's heads to the list.
fn write_heads(heads: u32, list: u32) {
    var at = list;
    for (var i = 0u; i < ITEMS; i++) {
        if (heads >> i & 1u) != 0u {
            head_list[at] = thread * ITEMS + i;
            at++;
        }
    }
}

// Gathers the heads of the block's tile, singles first: two counts share a word. All threads take
// part; a barrier is included.
fn gather_heads() -> HeadsOfTile {
    let first = block * TILE;
    let thread_heads = heads_of_thread(first + thread * ITEMS, digi_count());
    let counts = countOneBits(thread_heads.others) << 16u | countOneBits(thread_heads.singles);
    let before = block_exclusive_sum(counts);
    let singles = block_total & 0xffffu;
    write_heads(thread_heads.singles, before & 0xffffu);
    write_heads(thread_heads.others, singles + (before >> 16u));
    workgroupBarrier();
    return HeadsOfTile(Heads(first, singles, 0u), Heads(first, block_total >> 16u, singles));
}

// Reserves indices for the clusters of each side: `cluster_indices` has the first one at the rank
// of the side's first head.
fn reserve_clusters(heads: Heads, sides: SidesOfTile) {
    for (var rank = thread; rank < heads.count; rank += THREADS) {
        let side = side_in(sides, digi_index(heads, rank));
        if rank > 0u && digi_index(heads, rank - 1u) >= segment_offsets[side] { continue; }
        let count = heads_before(heads, segment_offsets[side + 1u]) - rank;
        cluster_indices[heads.list + rank] = atomicAdd(&found[side].clusters, count);
    }
}

// Index of a head's cluster.
fn index_of_cluster(heads: Heads, rank: u32, begin: u32) -> u32 {
    var leader = 0u;
    if begin > heads.first { leader = heads_before(heads, begin); }
    return begin + cluster_indices[heads.list + leader] + rank - leader;
}
