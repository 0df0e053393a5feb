// The table of variants: each is a kernel in SYCL that follows a native one of bench step by step.
//
// | file | content |
// |---|---|
// | sort, unpack, noisy_pads, decode, hits | the variants of a task |
// | variant.h | common code of variants |
// | device.h, cuda, host | a kernel on a GPU, and on the host |
// | runtime | SYCL's run time, a library of its own |
#include "variant.h"

namespace {

const Variants &variants() {
    static const Variants all = [] {
        Variants added;
        add_sort(added);
        add_noisy_pads(added);
        add_unpack(added);
        add_decode(added);
        add_hits(added);
        return added;
    }();
    return all;
}

} // namespace

std::uint32_t recobench_plugin_abi(void) { return RECOBENCH_ABI; }

const recobench_plugin_table *recobench_plugin(void) {
    static const auto pointers = [] {
        std::vector<const recobench_variant *> all;
        for (const recobench_variant &variant : variants()) all.push_back(&variant);
        return all;
    }();
    static const recobench_plugin_table table = {sizeof table, "SYCL", SYCL_COMPILER, pointers.size(), pointers.data()};
    return &table;
}
