// Correctly rounded arithmetic in single precision on any GPU.
//
// WGSL allows a driver to fuse a product with a sum, to reorder sums, and to return quotients and
// roots that are off by a few units in the last place. So results are masked with a value that is
// unknown to compilers before they are used; and quotients and roots are corrected from their
// remainders, in integers. Assumptions: sums and products are rounded to nearest, as on all GPUs,
// quotients have the precision that WGSL requires, and there are no subnormal numbers.

const FRACTION_BITS = 23u;
const FRACTION = (1u << FRACTION_BITS) - 1u;
const SIGN = 1u << 31u;
const MAX_EXPONENT = 255u;
const INFINITE = MAX_EXPONENT << FRACTION_BITS;
const BIAS = 127;
// One bit more than the fraction, which decides the rounding.
const HALF_BITS = FRACTION_BITS + 1u;
const HALF_UNITS = f32(1u << HALF_BITS);
const UNITS = f32(1u << FRACTION_BITS);

// Returns `number` unchanged. A grid has fewer than 2^31 blocks, which compilers don't know.
fn kept_apart(number: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(number) ^ (arguments.blocks >> 31u));
}

fn sum(a: f32, b: f32) -> f32 { return kept_apart(a + b); }
fn difference(a: f32, b: f32) -> f32 { return kept_apart(a - b); }
fn product(a: f32, b: f32) -> f32 { return kept_apart(a * b); }

fn exponent_of(bits: u32) -> u32 { return bits >> FRACTION_BITS & MAX_EXPONENT; }
fn significand_of(bits: u32) -> u32 { return (bits & FRACTION) | (1u << FRACTION_BITS); }
// True if neither zero, nor infinite, nor NaN.
fn is_ordinary(bits: u32) -> bool { return ((exponent_of(bits) + 1u) & MAX_EXPONENT) > 1u; }

// Rounds a significand of 25 bits to 24. Quotients and roots never lie exactly in the middle.
fn of_parts(sign: u32, exponent: i32, halves: u32) -> f32 {
    let significand = (halves + 1u) >> 1u;
    if exponent < 1 { return bitcast<f32>(sign); }
    // Rounding may carry into the exponent.
    let bits = min((u32(exponent - 1) << FRACTION_BITS) + significand, INFINITE);
    return bitcast<f32>(sign | bits);
}

fn quotient(a: f32, b: f32) -> f32 {
    let above = bitcast<u32>(a);
    let below = bitcast<u32>(b);
    if !is_ordinary(above) || !is_ordinary(below) { return kept_apart(a / b); }
    let divisor = significand_of(below);
    var dividend = significand_of(above);
    var exponent = i32(exponent_of(above)) - i32(exponent_of(below)) + BIAS;
    if dividend < divisor {
        dividend <<= 1u;
        exponent--;
    }
    var halves = u32(f32(dividend) / f32(divisor) * HALF_UNITS);
    // The remainder is small: its upper bits are not needed.
    var left = i32((dividend << HALF_BITS) - halves * divisor);
    while left < 0 {
        halves--;
        left += i32(divisor);
    }
    while left >= i32(divisor) {
        halves++;
        left -= i32(divisor);
    }
    return of_parts((above ^ below) & SIGN, exponent, halves);
}

fn root(a: f32) -> f32 {
    let bits = bitcast<u32>(a);
    if !is_ordinary(bits) || a < 0.0 { return kept_apart(sqrt(a)); }
    // Half of an even exponent, rounded down.
    let exponent = (i32(exponent_of(bits)) - BIAS) >> 1u;
    let square = significand_of(bits) << ((exponent_of(bits) + 1u) % 2u);
    var halves = u32(sqrt(f32(square) / UNITS) * HALF_UNITS);
    var left = i32((square << (HALF_BITS + 1u)) - halves * halves);
    while left < 0 {
        halves--;
        left += i32(2u * halves + 1u);
    }
    while left > i32(2u * halves) {
        left -= i32(2u * halves + 1u);
        halves++;
    }
    return of_parts(0u, exponent + BIAS, halves);
}
