// The time of a chain, by the exact rules: see formulas/rules.h.

const HALF_WORD = 16u;

// The sum is a pair of words.
struct Times { sum: vec2u, least: u32 }

fn no_times() -> Times { return Times(vec2u(0u), ~0u); }

fn with_time(times: Times, time: u32) -> Times {
    let low = times.sum.x + time;
    let carry = select(0u, 1u, low < time);
    return Times(vec2u(low, times.sum.y + carry), min(times.least, time));
}

// Sums above the smallest time hardly ever need more than a word.
fn mean_time(times: Times, size: u32, first_time: u32, last_time: u32) -> u32 {
    let least = product_of(times.least, size);
    let borrow = select(0u, 1u, times.sum.x < least.x);
    let above = vec2u(times.sum.x - least.x, times.sum.y - least.y - borrow);
    return times.least + divided(above, size);
}

// Product with a number of no more than 16 bits.
fn product_of(number: u32, size: u32) -> vec2u {
    let low = (number & ((1u << HALF_WORD) - 1u)) * size;
    let high = (number >> HALF_WORD) * size + (low >> HALF_WORD);
    return vec2u(number * size, high >> HALF_WORD);
}

// Division, digit by digit if a word is not enough. The result fits into a word.
fn divided(number: vec2u, size: u32) -> u32 {
    if number.y == 0u { return number.x / size; }
    let upper = ((number.y % size) << HALF_WORD) | (number.x >> HALF_WORD);
    let lower = ((upper % size) << HALF_WORD) | (number.x & ((1u << HALF_WORD) - 1u));
    return (upper / size) << HALF_WORD | lower / size;
}
