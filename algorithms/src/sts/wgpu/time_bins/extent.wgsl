// The first and the last time of some entries: see time_bins/sorting.h. It needs a warp.

var<private> first_time: u32 = ~0u;
var<private> last_time: u32;

fn include_time(time: u32) {
    first_time = min(first_time, time);
    last_time = max(last_time, time);
}
