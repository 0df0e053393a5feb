// DeviceMemcpy::Batched of all pieces of all arrays at once: it is made for very many copies
// of very different lengths. It asks iterators for pointers and lengths, so these need not
// lie in memory: they follow from a piece's number. Where pieces go, DeviceScan finds out.
#include <cub/device/device_memcpy.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "gather.cuh"

namespace {

// An array as the device knows it. Pieces are numbered through all arrays.
struct Array {
    uint64_t from, to;    // the bytes of source and output at which it starts
    int64_t first_piece;  // its number
    uint32_t bytes;       // of all of it without gaps
    uint32_t width;       // bytes of an entry
    uint32_t per;
};

// Some bytes, and where they go.
struct Piece {
    const uint8_t *from;
    uint8_t *to;
    uint32_t bytes;
};

// The pieces of tracks or of rows.
struct Offsets {
    const uint32_t *starts;
    uint32_t *offsets; // one more than there are pieces
};

struct Pieces {
    const uint8_t *source;
    uint8_t *output;
    const Array *arrays;
    int array_count;
    Offsets tracks, rows;

    // The last array that starts at this piece or before it.
    __host__ __device__ const Array &array_of(int64_t number) const {
        int low = 0, high = array_count;
        while (low + 1 < high) {
            const int middle = (low + high) / 2;
            if (arrays[middle].first_piece <= number) low = middle;
            else high = middle;
        }
        return arrays[low];
    }

    __host__ __device__ Piece operator[](int64_t number) const {
        const Array &array = array_of(number);
        const uint8_t *from = source + array.from;
        uint8_t *to = output + array.to;
        if (is_one_piece(array.per)) return {from, to, array.bytes};
        const Offsets &pieces = array.per == RECOBENCH_PER_UNATTACHED ? rows : tracks;
        const uint32_t left_out = entries_left_out(array.per), piece = (uint32_t)(number - array.first_piece);
        const uint32_t offset = pieces.offsets[piece], entries = pieces.offsets[piece + 1] - offset - left_out;
        const uint64_t first = pieces.starts[piece] + left_out, packed = offset - left_out * piece;
        return {from + first * array.width, to + packed * array.width, entries * array.width};
    }
};

struct From {
    Pieces pieces;
    __host__ __device__ const void *operator()(int64_t number) const { return pieces[number].from; }
};

struct To {
    Pieces pieces;
    __host__ __device__ void *operator()(int64_t number) const { return pieces[number].to; }
};

struct Bytes {
    Pieces pieces;
    __host__ __device__ uint32_t operator()(int64_t number) const { return pieces[number].bytes; }
};

// A number of clusters, as long as there are pieces: the sum before the end is that of all.
template <typename Count> struct CountOf {
    const Count *counts;
    int64_t pieces;
    __host__ __device__ uint32_t operator()(int64_t piece) const { return piece < pieces ? counts[piece] : 0; }
};

template <typename Function> auto each(Function function) {
    return thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), function);
}

// The functions of CUB: without temporary storage, they return how much they need.
template <typename Count>
cudaError_t scan_counts(void *temporary, size_t &bytes, const uint8_t *counts, int64_t pieces, uint32_t *offsets,
                        cudaStream_t stream) {
    const CountOf<Count> count{reinterpret_cast<const Count *>(counts), pieces};
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, each(count), offsets, pieces + 1, stream);
}

cudaError_t copy_all(void *temporary, size_t &bytes, const Pieces &pieces, int64_t count, cudaStream_t stream) {
    return cub::DeviceMemcpy::Batched(temporary, bytes, each(From{pieces}), each(To{pieces}), each(Bytes{pieces}),
                                      count, stream);
}

// Scratch memory: the offsets of tracks, those of rows, then CUB's own, of which one function
// after the other makes use.
struct MemcpyBatched {
    Array *arrays = nullptr; // on the GPU
    int array_count = 0;
    int64_t pieces = 0;
    size_t track_bytes = 0, row_bytes = 0, temporary_bytes = 0;

    MemcpyBatched() = default;
    MemcpyBatched(const MemcpyBatched &) = delete;
    ~MemcpyBatched() { cudaFree(arrays); }

    static const char *refusal(const recobench_gather &) { return nullptr; }

    cudaError_t prepare(const recobench_gather &gather) {
        array_count = (int)gather.array_count;
        pieces = (int64_t)pieces_of(gather);
        track_bytes = aligned(sizeof(uint32_t) * (gather.tracks + 1));
        row_bytes = aligned(sizeof(uint32_t) * (gather.rows + 1));
        const cudaError_t error = describe_arrays(gather);
        return error == cudaSuccess ? ask_for_temporary(gather) : error;
    }

    void needs(recobench_memory &memory) const {
        memory.scratch_bytes = track_bytes + row_bytes + temporary_bytes;
        memory.own_bytes = sizeof(Array) * array_count;
    }

    cudaError_t run(const recobench_host &host, const recobench_gather &gather) const {
        char *scratch = static_cast<char *>(host.scratch), *temporary = scratch + track_bytes + row_bytes;
        const Offsets tracks{gather.device_track_starts, reinterpret_cast<uint32_t *>(scratch)};
        const Offsets rows{gather.device_row_starts, reinterpret_cast<uint32_t *>(scratch + track_bytes)};
        host.stage(&host, "places");
        cudaError_t error = scan_all_counts(host, gather, temporary, tracks.offsets, rows.offsets);
        if (error != cudaSuccess) return error;
        host.stage(&host, "pack");
        const Pieces all{gather.source, gather.output, arrays, array_count, tracks, rows};
        size_t bytes = temporary_bytes;
        return copy_all(temporary, bytes, all, pieces, stream_of(host));
    }

  private:
    cudaError_t scan_all_counts(const recobench_host &host, const recobench_gather &gather, void *temporary,
                                uint32_t *tracks, uint32_t *rows) const {
        const auto counts = [&](uint64_t number) { return gather.source + gather.arrays[number].source_offset; };
        const cudaStream_t stream = stream_of(host);
        size_t bytes = temporary_bytes;
        const cudaError_t error = scan_counts<uint16_t>(temporary, bytes, counts(gather.track_counts),
                                                        (int64_t)gather.tracks, tracks, stream);
        if (error != cudaSuccess) return error;
        bytes = temporary_bytes;
        return scan_counts<uint32_t>(temporary, bytes, counts(gather.row_counts), (int64_t)gather.rows, rows,
                                     stream);
    }

    // Puts what is known of arrays where the GPU finds it.
    cudaError_t describe_arrays(const recobench_gather &gather) {
        Array *described = new (std::nothrow) Array[gather.array_count];
        if (!described) return cudaErrorMemoryAllocation;
        int64_t next_piece = 0;
        for (uint64_t i = 0; i < gather.array_count; i++) {
            const recobench_gather_array &array = gather.arrays[i];
            described[i] = {array.source_offset, array.output_offset, next_piece, (uint32_t)array.output_bytes,
                            array.entry_bytes, array.per};
            next_piece += (int64_t)pieces_of(gather, array);
        }
        const size_t bytes = sizeof(Array) * gather.array_count;
        cudaError_t error = cudaMalloc(&arrays, bytes);
        if (error == cudaSuccess) error = cudaMemcpy(arrays, described, bytes, cudaMemcpyHostToDevice);
        delete[] described;
        return error;
    }

    cudaError_t ask_for_temporary(const recobench_gather &gather) {
        const Pieces none{};
        size_t of_tracks = 0, of_rows = 0, of_copies = 0;
        cudaError_t error =
            scan_counts<uint16_t>(nullptr, of_tracks, nullptr, (int64_t)gather.tracks, nullptr, nullptr);
        if (error == cudaSuccess)
            error = scan_counts<uint32_t>(nullptr, of_rows, nullptr, (int64_t)gather.rows, nullptr, nullptr);
        if (error == cudaSuccess) error = copy_all(nullptr, of_copies, none, pieces, nullptr);
        const size_t of_sums = of_tracks > of_rows ? of_tracks : of_rows;
        temporary_bytes = of_copies > of_sums ? of_copies : of_sums;
        return error;
    }
};

} // namespace

const recobench_variant MEMCPY_BATCHED = GatherVariant<MemcpyBatched>::describe(
    "cub-memcpy-batched", "CUB DeviceMemcpy::Batched of all pieces, then one copy to the host", RECOBENCH_SEPARATE,
    false);
