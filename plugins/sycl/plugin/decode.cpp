// Decoding raw pages: `ballot-scan`. Pages are validated, offsets are assigned to their samples, and
// decoders that trust the validation write these.
#include "variant.h"
#include <algorithm>
#include <cstring>

DECLARE_IMAGES(decode_prepare)
DECLARE_IMAGES(decode_validate_row)
DECLARE_IMAGES(decode_validate_link)
DECLARE_IMAGES(decode_validate_dense_link)
DECLARE_IMAGES(decode_validate_many_dense_link)
DECLARE_IMAGES(decode_jobs)
DECLARE_IMAGES(decode_sum_jobs)
DECLARE_IMAGES(decode_rows)
DECLARE_IMAGES(decode_links)
DECLARE_IMAGES(decode_dense_link_digits)
DECLARE_IMAGES(decode_dense_link_charges)

namespace {

constexpr Kernel STREAMS = {"decode_streams", DECODE_PREPARE_SHAPE, IMAGES(decode_prepare)};
constexpr Kernel TOUCHED = {"decode_touched", DECODE_PREPARE_SHAPE, IMAGES(decode_prepare)};
constexpr Kernel CLEAR = {"decode_clear", DECODE_PREPARE_SHAPE, IMAGES(decode_prepare)};
constexpr Kernel COUNT_JOBS = {"decode_count_jobs", DECODE_JOBS_SHAPE, IMAGES(decode_jobs)};
constexpr Kernel SUM_JOBS = {"decode_sum_jobs", DECODE_SUM_JOBS_SHAPE, IMAGES(decode_sum_jobs)};
constexpr Kernel LIST_JOBS = {"decode_list_jobs", DECODE_JOBS_SHAPE, IMAGES(decode_jobs)};

// Kernels of a layout of pages, and the pages of their work-groups.
struct Layout {
    Kernel validate;
    std::uint32_t pages_of_validation;
    Kernel digits, charges;
    std::uint32_t pages_of_decoder;
};
constexpr Layout ROW = {{"decode_validate_row", DECODE_VALIDATE_ROW_SHAPE, IMAGES(decode_validate_row)},
                        16,
                        {"decode_row_digits", DECODE_ROWS_SHAPE, IMAGES(decode_rows)},
                        {"decode_row_charges", DECODE_ROWS_SHAPE, IMAGES(decode_rows)},
                        1};
constexpr Layout LINK = {{"decode_validate_link", DECODE_VALIDATE_LINK_SHAPE, IMAGES(decode_validate_link)},
                         16,
                         {"decode_link_digits", DECODE_LINKS_SHAPE, IMAGES(decode_links)},
                         {"decode_link_charges", DECODE_LINKS_SHAPE, IMAGES(decode_links)},
                         4};
constexpr Layout DENSE_LINK = {
    {"decode_validate_dense_link", DECODE_VALIDATE_DENSE_LINK_SHAPE, IMAGES(decode_validate_dense_link)},
    16,
    {"decode_dense_link_digits", DECODE_DENSE_LINKS_SHAPE, IMAGES(decode_dense_link_digits)},
    {"decode_dense_link_charges", DECODE_DENSE_LINKS_SHAPE, IMAGES(decode_dense_link_charges)},
    4};
// With many pages, a lane validates a page.
constexpr Layout MANY_DENSE_LINK = {
    {"decode_validate_many_dense_link", DECODE_VALIDATE_MANY_DENSE_LINK_SHAPE, IMAGES(decode_validate_many_dense_link)},
    64,
    DENSE_LINK.digits,
    DENSE_LINK.charges,
    DENSE_LINK.pages_of_decoder};
// Pages for each multiprocessor from which on they are many, as of the native variant.
constexpr std::uint64_t MANY = 144;

constexpr std::uint64_t MAX_PAGES_OF_DECODER = DENSE_LINK.pages_of_decoder;

constexpr std::uint32_t ROW10 = 1;
constexpr std::uint32_t ROW12 = 2;
constexpr std::uint32_t LINKS = 3;

// Times: bunch crossings of an orbit and of a time bin, and the time bins that a page may announce.
constexpr std::uint64_t CROSSINGS_OF_ORBIT = 3564;
constexpr std::uint64_t CROSSINGS_OF_TIME_BIN = 8;
constexpr std::uint64_t MAX_TIME_BINS = CROSSINGS_OF_ORBIT / CROSSINGS_OF_TIME_BIN + 2;

// Fragments overlap by 16 time bins, and have one that is of no other.
constexpr std::uint32_t OVERLAP = 16;
constexpr std::uint64_t MAX_FRAGMENTS = 1 << 16;

constexpr std::uint32_t PREPARE_THREADS = DECODE_PREPARE_SHAPE.threads;
constexpr std::uint64_t PAGES_OF_TILE = 1024;
// Entries of a map for 16 bytes, and work-groups that clear an array.
constexpr std::uint64_t ENTRIES_OF_GRANULE = 8;
constexpr std::uint64_t WORDS_OF_GRANULE = 4;
constexpr std::uint64_t GRANULE_BYTES = 16;
constexpr std::uint64_t MAX_CLEARING = 4096;

constexpr std::uint64_t RECORD_BYTES = 32;
constexpr std::uint64_t EXTENT_BYTES = 8;
constexpr std::uint64_t JOB_BYTES = 8;
constexpr std::uint64_t SUMS_BYTES = 8;

// An array in scratch memory.
struct Array {
    std::uint64_t offset;

    const void *in(const recobench_host &host) const { return static_cast<const char *>(host.scratch) + offset; }
};

// The fragments of a time frame: for digits a single one, which has all time bins.
struct Fragments {
    std::uint32_t length = UINT32_MAX;
    std::uint32_t step = 0;
    std::uint32_t count = 1;
    // Upper limit of those that a page touches.
    std::uint64_t of_page = 1;

    explicit Fragments(const recobench_decode &frame) {
        if (frame.output == RECOBENCH_DIGITS) return;
        length = std::max(frame.fragment, OVERLAP + 1);
        step = length - OVERLAP;
        const std::uint64_t time_bins = parts(frame.orbits * CROSSINGS_OF_ORBIT, CROSSINGS_OF_TIME_BIN);
        const std::uint64_t all = std::max<std::uint64_t>(1, parts(time_bins, step));
        if (all > MAX_FRAGMENTS) {
            throw Unavailable("it decodes up to 65536 fragments, not " + std::to_string(all) +
                              ": use longer ones (--fragment) or fewer orbits");
        }
        count = std::uint32_t(all);
        of_page = std::min(all, (MAX_TIME_BINS + length) / step + 1);
    }

    // As kernels read them.
    std::vector<std::uint32_t> words(const recobench_decode &frame) const {
        // Charges of a map have four bits after the point, ADC values two, but for one format.
        const float scale = frame.format == ROW10 ? 16.0f : 4.0f;
        std::uint32_t scale_bits;
        std::memcpy(&scale_bits, &scale, sizeof scale_bits);
        std::vector<std::uint32_t> words;
        for (std::uint32_t i = 0; i < count; i++) {
            for (std::uint32_t word : {i * step, length, std::uint32_t(frame.map_entries), scale_bits})
                words.push_back(word);
        }
        return words;
    }
};

struct BallotScan {
    using Input = recobench_decode;
    static constexpr const char *TASK = "decode";
    static constexpr std::uint32_t BUFFERS = RECOBENCH_SEPARATE;

    std::unique_ptr<Device> device;
    std::unique_ptr<Loaded> streams, touched, clear, validate, count_jobs, sum_jobs, list_jobs, decode;
    Fragments fragments;
    std::uint64_t tiles;
    std::uint32_t validation_groups;
    std::uint32_t decoder_groups;
    // Of jobs that are cleared. OpenCL's compiler for CPUs moves loads before a return if a barrier follows:
    // work-items without a job read one that has to be valid.
    std::uint32_t job_granules = 0;
    const void *fragment_table = nullptr;
    std::uint64_t scratch_bytes = 0;
    std::uint64_t own_bytes = 0;
    Array stream_words, records, extents, sums, job_offsets, jobs, flags;

    BallotScan(const recobench_host &host, const recobench_decode &frame)
        : fragments(frame), tiles(std::max<std::uint64_t>(1, parts(frame.pages, PAGES_OF_TILE))) {
        check(frame);
        device = open_device(host);
        load_kernels(frame);
        std::uint64_t job_capacity = frame.pages * fragments.of_page;
        if (host.device < 0) {
            clear = device->load(CLEAR);
            job_capacity += frame.pages + MAX_PAGES_OF_DECODER;
            job_granules = std::uint32_t(parts(job_capacity * JOB_BYTES, GRANULE_BYTES));
        }
        const auto words = fragments.words(frame);
        own_bytes = words.size() * sizeof words[0];
        fragment_table = device->copy(words);
        stream_words = array(frame.pages, sizeof(std::uint32_t));
        records = array(frame.pages, RECORD_BYTES);
        extents = array(frame.pages, EXTENT_BYTES);
        sums = array(fragments.count * tiles, SUMS_BYTES);
        job_offsets = array(fragments.count + 1, sizeof(std::uint32_t));
        jobs = array(job_capacity, JOB_BYTES);
        flags = array(fragments.count, sizeof(std::uint32_t));
    }

    void run(const recobench_host &host, const recobench_decode &frame) {
        const auto pages = std::uint32_t(frame.pages);
        if (frame.streams > 0) streams->launch(host, std::uint32_t(frame.streams), {frame.stream, stream_words.in(host)});
        if (touched) flag_fragments(host, frame);
        if (pages > 0) {
            validate->launch(host, validation_groups,
                             {frame.bytes, stream_words.in(host), frame.endpoint, frame.pads_in_row, pages,
                              frame.format, frame.first_orbit, frame.orbits, records.in(host), extents.in(host),
                              frame.damaged});
        }
        if (job_granules > 0) clear_array(host, jobs.in(host), job_granules, 1, nullptr);
        assign_offsets(host, frame);
        for (std::uint32_t fragment = 0; fragment < fragments.count; fragment++) {
            // The first is cleared in any case: there may be no others.
            if (touched) clear_maps(host, frame, fragment);
            if (pages > 0) decode_fragment(host, frame, fragment);
        }
    }

  private:
    static void check(const recobench_decode &frame) {
        if (frame.samples.capacity > UINT32_MAX || frame.pages > INT32_MAX) {
            throw Unavailable("it counts samples with 32 bits and pages with 31; use fewer sectors or orbits");
        }
        if (frame.format < ROW10 || frame.format > 5) throw Unavailable("it knows the formats 1 to 5 of pages");
    }

    void load_kernels(const recobench_decode &frame) {
        const Layout &layout = layout_of(frame);
        const bool has_digits = frame.output == RECOBENCH_DIGITS;
        streams = device->load(STREAMS);
        validate = device->load(layout.validate);
        count_jobs = device->load(COUNT_JOBS);
        sum_jobs = device->load(SUM_JOBS);
        list_jobs = device->load(LIST_JOBS);
        decode = device->load(has_digits ? layout.digits : layout.charges);
        const std::uint64_t job_groups = fragments.count * tiles;
        if (job_groups > INT32_MAX) throw Unavailable("it counts work-groups with 31 bits: use longer fragments");
        validation_groups = std::uint32_t(parts(frame.pages, layout.pages_of_validation));
        if (&layout == &MANY_DENSE_LINK) validation_groups = std::min(validation_groups, validate->resident_groups());
        decoder_groups = std::uint32_t(parts(frame.pages, layout.pages_of_decoder));
        if (has_digits) return;
        touched = device->load(TOUCHED);
        clear = device->load(CLEAR);
    }

    const Layout &layout_of(const recobench_decode &frame) {
        if (frame.format == ROW10 || frame.format == ROW12) return ROW;
        if (frame.format == LINKS) return LINK;
        return frame.pages < MANY * device->multiprocessors() ? DENSE_LINK : MANY_DENSE_LINK;
    }

    // Adds an array, at a multiple of 16 bytes, to scratch memory.
    Array array(std::uint64_t count, std::uint64_t bytes) {
        const Array added = {scratch_bytes};
        scratch_bytes += parts(count * bytes, GRANULE_BYTES) * GRANULE_BYTES;
        return added;
    }

    void flag_fragments(const recobench_host &host, const recobench_decode &frame) {
        clear_array(host, flags.in(host), parts(fragments.count, WORDS_OF_GRANULE), 1, nullptr);
        if (frame.pages == 0) return;
        touched->launch(host, std::uint32_t(parts(frame.pages, PREPARE_THREADS)),
                        {frame.bytes, stream_words.in(host), std::uint32_t(frame.pages), frame.format,
                         frame.first_orbit, frame.orbits, fragments.length, fragments.step, flags.in(host)});
    }

    void assign_offsets(const recobench_host &host, const recobench_decode &frame) {
        const auto pages = std::uint32_t(frame.pages);
        const auto tile_count = std::uint32_t(tiles);
        const auto groups = std::uint32_t(fragments.count * tiles);
        const Arguments of_pages = {extents.in(host), fragment_table, pages, tile_count, sums.in(host)};
        count_jobs->launch(host, groups, of_pages);
        sum_jobs->launch(host, 1,
                          {sums.in(host), job_offsets.in(host), tile_count, groups,
                           frame.samples.begins, frame.samples.counts});
        Arguments with_jobs = of_pages;
        with_jobs.push_back(jobs.in(host));
        list_jobs->launch(host, groups, with_jobs);
    }

    void clear_maps(const recobench_host &host, const recobench_decode &frame, std::uint32_t fragment) {
        const auto *flag = static_cast<const std::uint32_t *>(flags.in(host)) + fragment;
        clear_array(host, frame.charges, frame.map_entries / ENTRIES_OF_GRANULE, frame.sectors,
                    fragment == 0 ? nullptr : flag);
    }

    void clear_array(const recobench_host &host, const void *memory, std::uint64_t granules, std::uint64_t rows,
                     const std::uint32_t *flag) {
        const std::uint64_t groups = std::min(MAX_CLEARING, parts(granules * rows, PREPARE_THREADS));
        if (groups == 0) return;
        clear->launch(host, std::uint32_t(groups), {memory, std::uint32_t(granules), std::uint32_t(rows), flag});
    }

    void decode_fragment(const recobench_host &host, const recobench_decode &frame, std::uint32_t fragment) {
        Arguments arguments = {frame.bytes, records.in(host), jobs.in(host), job_offsets.in(host), fragment};
        if (frame.format == ROW10 || frame.format == ROW12) {
            arguments.insert(arguments.end(), {frame.endpoint, frame.pads_in_row});
        } else {
            arguments.push_back(frame.pads);
        }
        if (touched) arguments.insert(arguments.end(), {frame.gains, fragment_table});
        arguments.push_back(frame.samples.items);
        if (touched) arguments.push_back(frame.charges);
        decode->launch(host, decoder_groups, arguments);
    }
};

} // namespace

void add_decode(Variants &variants) {
    add<BallotScan>(variants,
                    {"sycl-ballot-scan",
                     "SYCL: a work-group a row page, a sub-group a link page, lanes ranked by votes", "ballot-scan",
                     "words of streams are written on the GPU, and fragments found there; launches for all pages"});
}
