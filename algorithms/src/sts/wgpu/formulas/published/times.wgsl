// The time of a chain, as published: see formulas/rules.h.

struct Times { sum: f32 }

fn no_times() -> Times { return Times(0.0); }

fn with_time(times: Times, time: u32) -> Times { return Times(sum(times.sum, f32(time))); }

fn mean_time(times: Times, size: u32, first_time: u32, last_time: u32) -> u32 {
    if size == 1u { return first_time; }
    if size == 2u { return u32(0.5 * f32(first_time + last_time)); }
    return u32(quotient(times.sum, f32(size)));
}
