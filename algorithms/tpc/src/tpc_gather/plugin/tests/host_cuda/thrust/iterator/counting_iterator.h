#pragma once

namespace thrust {

template <typename Number> struct counting_iterator {
    Number first;
    explicit counting_iterator(Number number) : first(number) {}
};

} // namespace thrust
