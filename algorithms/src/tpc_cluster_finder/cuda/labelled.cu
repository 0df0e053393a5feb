// nvcc: -fmad=false
// Clusters without maps, for samples with labels: as in fused.cu, but the label range of a sample
// is stored when it is binned, and the samples that give their labels to a cluster are listed while
// all of them are in shared memory. labels.cu collects the labels.
//
// Labels are read at random, at least 32 bytes for each sample, with high latency. With shared
// memory full of charges there would be too few warps to hide it.
//
// Dynamic shared memory: see `Strip`.
#include "fused/members.h"
#include "fused/samples.h"
#include "fused/tiles.h"

// Stores samples in their bins, with the label range of each. `first_labels` has the index of each
// sample's first label, then the total number of labels.
extern "C" __global__ void __launch_bounds__(BIN_THREADS)
    fused_bin_labelled(const u64* samples, u32 count, const Sector* sectors, u32 sector_count, const u32* first_words,
                       u32* words, u32* binned, const u32* first_labels, LabelRange* ranges) {
    const ThreadSamples own(samples, count, sectors, sector_count, first_words);
    scatter_samples(own, words, [&](u32 destination, u32 i) {
        const u32* first = first_labels + own.number(i);
        binned[destination] = own.binned[i];
        ranges[destination] = {first[0], first[1] - first[0]};
    });
}
KERNEL_EXPORT(fused_bin_labelled)

// Finds the clusters of all tiles, and lists the samples of each.
extern "C" __global__ void __launch_bounds__(FIND_THREADS, FIND_BLOCKS)
    fused_find_labelled(const u32* binned, const Tile* tiles, const Counts* counts, const Sector* sectors,
                        const RowShape* rows, const u32* noisy, u64* totals, PackedCluster* clusters, Run* runs,
                        u32 max_clusters, u32 max_runs, u64* member_total, Members* members, u32* member_samples,
                        u32 max_members) {
    SMEM_DYN(Strip, shared);
    const FoundClusters found = {totals, clusters, runs, max_clusters, max_runs};
    const MemberLists lists = {member_total, members, member_samples, max_members};
    const Tiles all = {binned, tiles, counts->tiles, sectors, rows, noisy};
    all.for_each(*shared, [&](const Tile& tile, const Shape& shape) {
        find_labelled(*shared, binned, tile, shape, found, lists);
    });
}
KERNEL_EXPORT(fused_find_labelled)
KERNEL_SHARED(fused_find_labelled, Strip)
