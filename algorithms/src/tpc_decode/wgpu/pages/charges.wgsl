// Conversion to charges for a sector and a fragment: see ChargeMaker of pages/target.h.

struct Fragment { first_time_bin: u32, time_bins: u32, entries: u32, scale: f32 }

var<private> fragment: Fragment;

fn column_of(pad: u32) -> u32 { return (pad >> 8u) * ROW_PITCH + (pad & 0xffu) + PAD_MARGIN; }

fn charge_of(gain: f32, adc: u32) -> u32 {
    let charge = f32(adc) * fragment.scale * gain;
    return u32(select(MAX_CHARGE, charge, charge < MAX_CHARGE));
}

const MAX_CHARGE = 16383.0;

fn is_in_fragment(time_bin: u32) -> bool {
    return time_bin - fragment.first_time_bin < fragment.time_bins;
}

// The time in the map.
fn time_in_map(time_bin: u32) -> u32 { return time_bin - fragment.first_time_bin + TIME_MARGIN; }

// A position has the column in its lower half and the time in its upper one.
fn position_of(column: u32, time: u32) -> u32 { return time << 16u | column; }
