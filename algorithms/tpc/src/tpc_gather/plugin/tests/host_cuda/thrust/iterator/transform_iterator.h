#pragma once
#include "counting_iterator.h"

namespace thrust {

template <typename Function, typename Number> struct transform_iterator {
    Function function;
    Number first;
    auto operator[](Number number) const { return function(first + number); }
};

template <typename Number, typename Function>
transform_iterator<Function, Number> make_transform_iterator(counting_iterator<Number> numbers, Function function) {
    return {function, numbers.first};
}

} // namespace thrust
