// cudaMemcpyBatchAsync to the host: a copy for each piece of each array, as one by one, but
// with many of them a call. Pointers and lengths have to lie on the host. Lengths follow from
// arrays that have to be copied anyway: these come first, and are waited for.
#include "gather.cuh"

#if CUDART_VERSION < 13000
#error "cudaMemcpyBatchAsync is used as CUDA 13 has it: give a toolkit of CUDA 13 or later (CUDA_TOOLKIT)"
#endif

namespace {

// More would take seconds.
constexpr uint64_t MAX_COPIES = 2000000;
// Copies of a call: enough that the cost of the call itself does not count.
constexpr size_t BATCH_COPIES = 1 << 16;

// Copies to be made by the next call.
struct Batch {
    cudaStream_t stream = nullptr;
    size_t count = 0;
    const void *from[BATCH_COPIES];
    void *to[BATCH_COPIES];
    size_t bytes[BATCH_COPIES];

    cudaError_t add(uint8_t *target, const uint8_t *source, size_t length) {
        if (length == 0) return cudaSuccess;
        from[count] = source;
        to[count] = target;
        bytes[count++] = length;
        return count == BATCH_COPIES ? submit() : cudaSuccess;
    }

    cudaError_t submit() {
        const size_t copies = count;
        count = 0;
        if (copies == 0) return cudaSuccess;
        cudaMemcpyAttributes attributes = {};
        attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
        return cudaMemcpyBatchAsync(to, from, bytes, copies, attributes, stream);
    }
};

// Number of clusters of each track or row.
struct Counts {
    const uint8_t *numbers;
    bool of_tracks;

    uint32_t operator[](uint64_t piece) const {
        if (of_tracks) return reinterpret_cast<const uint16_t *>(numbers)[piece];
        return reinterpret_cast<const uint32_t *>(numbers)[piece];
    }
};

struct MemcpyBatch {
    Batch batch;

    static const char *refusal(const recobench_gather &gather) {
        if (pieces_of(gather) <= MAX_COPIES) return nullptr;
        return "more than 2000000 copies would take seconds each time; use fewer tracks, such as --scale 0.1";
    }

    cudaError_t prepare(const recobench_gather &) { return cudaSuccess; }

    void needs(recobench_memory &memory) const { memory.own_bytes = sizeof *this; }

    cudaError_t run(const recobench_host &host, const recobench_gather &gather) {
        batch.stream = stream_of(host);
        batch.count = 0;
        host.stage(&host, "whole-arrays");
        cudaError_t error = copy_whole_arrays(gather);
        if (error != cudaSuccess) return error;
        host.stage(&host, "pieces");
        return copy_pieces(gather);
    }

  private:
    // The numbers of clusters are among them, and there once this is done.
    cudaError_t copy_whole_arrays(const recobench_gather &gather) {
        for (uint64_t i = 0; i < gather.array_count; i++) {
            const recobench_gather_array &array = gather.arrays[i];
            if (!is_one_piece(array.per)) continue;
            const cudaError_t error = batch.add(gather.host_output + array.output_offset,
                                                gather.source + array.source_offset, array.output_bytes);
            if (error != cudaSuccess) return error;
        }
        const cudaError_t error = batch.submit();
        return error == cudaSuccess ? cudaStreamSynchronize(batch.stream) : error;
    }

    cudaError_t copy_pieces(const recobench_gather &gather) {
        for (uint64_t i = 0; i < gather.array_count; i++) {
            const recobench_gather_array &array = gather.arrays[i];
            if (is_one_piece(array.per)) continue;
            const cudaError_t error = copy_pieces_of(gather, array);
            if (error != cudaSuccess) return error;
        }
        return batch.submit();
    }

    cudaError_t copy_pieces_of(const recobench_gather &gather, const recobench_gather_array &array) {
        const bool of_tracks = array.per != RECOBENCH_PER_UNATTACHED;
        const recobench_gather_array &counted = gather.arrays[of_tracks ? gather.track_counts : gather.row_counts];
        const Counts counts{gather.host_output + counted.output_offset, of_tracks};
        const uint32_t *starts = of_tracks ? gather.track_starts : gather.row_starts;
        const uint32_t left_out = entries_left_out(array.per);
        uint8_t *to = gather.host_output + array.output_offset;
        for (uint64_t piece = 0; piece < pieces_of(gather, array); piece++) {
            const size_t bytes = (size_t)(counts[piece] - left_out) * array.entry_bytes;
            const uint64_t first = (uint64_t)starts[piece] + left_out;
            const uint8_t *from = gather.source + array.source_offset + first * array.entry_bytes;
            const cudaError_t error = batch.add(to, from, bytes);
            if (error != cudaSuccess) return error;
            to += bytes;
        }
        return cudaSuccess;
    }
};

} // namespace

const recobench_variant CUDA_MEMCPY_BATCH = GatherVariant<MemcpyBatch>::describe(
    "cuda-memcpy-batch", "cudaMemcpyBatchAsync to the host, a copy a piece and array, many a call",
    RECOBENCH_TO_HOST, true);
