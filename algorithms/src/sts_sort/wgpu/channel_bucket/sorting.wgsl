// Sorting some buckets in workgroup memory: see channel_bucket/sorting.h. It needs the digis of a
// kernel and where they go (`unsorted_at`, `put_in_order`), the list `overfull`, how digis wait
// (`waiting_at`, `put_waiting`), and the bins of a digi's bucket (`bucket_bins`).
#include "block_scan.wgsl"
#include "bins.wgsl"
#include "digi.wgsl"

var<workgroup> full_bins: atomic<u32>;
// The bin and the rank in it of each of a thread's digis.
var<private> bins_and_ranks: array<u32, SORTED_ITEMS>;

// The digi's bits with the time in the highest ones: the order within a bin, whose digis have the
// same channel.
fn time_first(digi: vec2u) -> vec2u {
    return vec2u(digi.x >> 31u | digi.y << 1u, digi.y >> 31u | digi.x << 1u);
}

fn digi_from_time_first(item: vec2u) -> vec2u {
    return vec2u(item.y >> 1u | item.x << 31u, item.x >> 1u | item.y << 31u);
}

// Counts digis in their bins; returns whether a bin has too many. Barriers before and after.
fn count_in_bins(begin: u32, count: u32) -> bool {
    if thread == 0u { atomicStore(&full_bins, 0u); }
    workgroupBarrier();
    for (var i = 0u; i < SORTED_ITEMS; i++) {
        let at = i * THREADS + thread;
        if at < count {
            let digi = unsorted_at(begin + at);
            let bin = bin_of(digi, bucket_bins(digi));
            let rank = add_to_bin(bin);
            if rank >= MAX_IN_BIN { atomicStore(&full_bins, 1u); }
            bins_and_ranks[i] = rank << 16u | bin;
        }
    }
    workgroupBarrier();
    return atomicLoad(&full_bins) != 0u;
}

// Moves digis to their bins. Barriers before and after.
fn move_to_bins(begin: u32, count: u32) {
    if thread == 0u { mark_first_of_bin(count); }
    for (var i = 0u; i < SORTED_ITEMS; i++) {
        let at = i * THREADS + thread;
        if at < count {
            let rank = bins_and_ranks[i] >> 16u;
            let to = start_of(bins_and_ranks[i] & 0xffffu) + rank;
            put_waiting(to, time_first(unsorted_at(begin + at)));
            if rank == 0u { mark_first_of_bin(to); }
        }
    }
    block_barrier();
}

// Writes each digi to where it belongs: before it come those of its bin that are earlier.
fn write_in_order(begin: u32, count: u32) {
    for (var i = thread; i < count; i += THREADS) {
        let item = waiting_at(i);
        let bin = bin_around(i);
        var to = bin.x;
        if bin.y - bin.x > 1u {
            for (var k = bin.x; k < bin.y; k++) {
                let other = waiting_at(k);
                if is_less(other, item) || (all(other == item) && k < i) { to++; }
            }
        }
        put_in_order(begin + to, digi_from_time_first(item));
    }
}

// Sorts a range of digis whose times are known, with clear bins. If many have nearly the same time
// it is only listed. A barrier before.
fn sort_buckets(begin: u32, end: u32) {
    let count = end - begin;
    if count_in_bins(begin, count) {
        if thread == 0u { list_overfull(begin, end); }
        return;
    }
    scan_bins();
    move_to_bins(begin, count);
    write_in_order(begin, count);
}

fn list_overfull(begin: u32, end: u32) {
    let at = 2u * atomicAdd(&overfull[0], 1u);
    atomicStore(&overfull[at + 1u], begin);
    atomicStore(&overfull[at + 2u], end);
}
