// A kernel as a variant: common code.
#pragma once
#include "device.h"

// Description of a variant.
struct About {
    const char *name, *summary, *native, *differs;
    const char *written_as = "SYCL";
};

// A variant that is ready for an input of type `Input`. Its first member is the device.
template <class Ready> struct Functions {
    static std::int32_t prepare(const recobench_variant *, const recobench_host *host, const void *input, void **state) {
        return attempt(*host, [&] {
            *state = new Ready(*host, *static_cast<const typename Ready::Input *>(input));
        });
    }
    static std::int32_t memory(void *state, const recobench_host *, recobench_memory *memory) {
        memory->scratch_bytes = static_cast<const Ready *>(state)->scratch_bytes;
        memory->own_bytes = static_cast<const Ready *>(state)->own_bytes;
        return RECOBENCH_OK;
    }
    static std::int32_t run(void *state, const recobench_host *host, const void *input) {
        return attempt(*host, [&] {
            Ready &ready = *static_cast<Ready *>(state);
            ready.run(*host, *static_cast<const typename Ready::Input *>(input));
            ready.device->finish();
        });
    }
    static void release(void *state) { delete static_cast<Ready *>(state); }

  private:
    // No exception crosses the interface.
    template <class Work> static std::int32_t attempt(const recobench_host &host, Work work) {
        try {
            work();
            return RECOBENCH_OK;
        } catch (const Unavailable &reason) {
            host.explain(&host, reason.what());
            return RECOBENCH_UNAVAILABLE;
        } catch (const std::exception &error) {
            host.explain(&host, error.what());
            return RECOBENCH_FAILED;
        }
    }
};

// The entry of a variant in the table.
template <class Ready> recobench_variant entry(std::uint32_t backend, const About &about) {
    recobench_variant variant = {};
    variant.size = sizeof variant;
    variant.task = Ready::TASK;
    variant.name = about.name;
    variant.summary = about.summary;
    variant.backend = backend;
    variant.buffers = Ready::BUFFERS;
    variant.stable = 1; // all tasks here keep the order
    variant.prepare = Functions<Ready>::prepare;
    variant.memory = Functions<Ready>::memory;
    variant.run = Functions<Ready>::run;
    variant.release = Functions<Ready>::release;
    variant.semantics = RECOBENCH_EXACT;
    if (backend == RECOBENCH_CPU) {
        variant.remark = "by SYCL on OpenCL's threads, which are not pinned";
    } else {
        variant.native = about.native;
        variant.written_as = about.written_as;
        variant.differs = about.differs;
    }
    return variant;
}

using Variants = std::vector<recobench_variant>;

// Adds a variant for the host and one for GPUs.
template <class Ready> void add(Variants &variants, const About &about) {
    variants.push_back(entry<Ready>(RECOBENCH_CPU, about));
    variants.push_back(entry<Ready>(RECOBENCH_CUDA, about));
}

void add_sort(Variants &variants);
void add_noisy_pads(Variants &variants);
void add_unpack(Variants &variants);
void add_decode(Variants &variants);
void add_hits(Variants &variants);
