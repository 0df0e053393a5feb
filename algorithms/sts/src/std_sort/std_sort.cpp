// `std::sort` of the C++ standard library for each type of record that is sorted with it. The Rust
// code checks sizes and offsets of the records.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace {

// The fields of a packed digi: 31 bits of time, a gap, 5 bits of charge, 11 of channel.
constexpr std::uint64_t TIME_MASK = 0x7fffffff;
constexpr unsigned CHARGE_SHIFT = 32, CHARGE_BITS = 5, CHANNEL_SHIFT = 37;

std::uint64_t time_of(std::uint64_t digi) { return digi & TIME_MASK; }

std::uint64_t key_of(std::uint64_t digi) {
    return (digi >> CHANNEL_SHIFT & 2047) << 31 | time_of(digi);
}

std::uint64_t key_and_charge_of(std::uint64_t digi) {
    return key_of(digi) << CHARGE_BITS | (digi >> CHARGE_SHIFT & ((1u << CHARGE_BITS) - 1));
}

struct Entry {
    std::uint32_t time, index;
};

struct Hit {
    float x, y, z;
    std::uint32_t time;
    float others[8];
};

struct OfflineDigi {
    std::uint64_t time;
    std::uint32_t address;
    std::uint16_t channel, adc;
};

struct OfflineCluster {
    unsigned char before_time[88];
    double time, time_error;
    std::uint32_t size, address;
};

template <class Record> void sort_by_time(Record* first, std::size_t count) {
    std::sort(first, first + count, [](const Record& a, const Record& b) { return a.time < b.time; });
}

template <std::uint64_t (*order)(std::uint64_t)> void sort_digis(std::uint64_t* first, std::size_t count) {
    std::sort(first, first + count, [](std::uint64_t a, std::uint64_t b) { return order(a) < order(b); });
}

}  // namespace

extern "C" {

void recobench_std_sort_by_key(std::uint64_t* digis, std::size_t count) { sort_digis<key_of>(digis, count); }

void recobench_std_sort_digis_by_time(std::uint64_t* digis, std::size_t count) {
    sort_digis<time_of>(digis, count);
}

void recobench_std_sort_by_key_and_charge(std::uint64_t* digis, std::size_t count) {
    sort_digis<key_and_charge_of>(digis, count);
}

void recobench_std_sort_entries(Entry* entries, std::size_t count) { sort_by_time(entries, count); }

void recobench_std_sort_hits(Hit* hits, std::size_t count) { sort_by_time(hits, count); }

// By time; equal times in a deterministic order.
void recobench_std_sort_offline_digis(OfflineDigi* digis, std::size_t count) {
    std::sort(digis, digis + count, [](const OfflineDigi& a, const OfflineDigi& b) {
        if (a.time != b.time) return a.time < b.time;
        return std::tie(a.channel, a.adc) < std::tie(b.channel, b.adc);
    });
}

void recobench_std_sort_offline_clusters(OfflineCluster* clusters, std::size_t count) {
    sort_by_time(clusters, count);
}

}
