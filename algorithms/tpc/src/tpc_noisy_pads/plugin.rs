//! Finding noisy pads by plugins.

use bytemuck::{Pod, Zeroable, cast_slice};
use generators_tpc::geometry::{PADS_IN_SECTOR, ROWS, pads_in_row};

use super::TpcNoisyPads;
use super::input::{ChargeMaps, PadActivity, Verdict};
use crate::tpc_decode::charge_map::entries;
use tasks::plugin::Contract;
use tasks::plugin::abi::{self, structs};
use tasks::plugin_session::{Description, Layout, PluginRequest, PluginTask};

/// Features that plugins of this task may declare.
pub(super) const CONTRACT: Contract =
    Contract { task: "noisy-pads", cuda: &[abi::SEPARATE], ..Contract::NEW };

structs! {
    "recobench_noisy_pads" #[derive(Zeroable)] NoisyPads {
        size: usize,
        sectors: u64,
        time_bins: u64,
        map_entries: u64,
        rows: u64,
        pads: u64,
        most_charges: u32,
        most_run: u32,
        saturation: u32,
        charges: *const u16,
        pads_in_row: *const u32,
        found: *mut Found,
        host_pads_in_row: *const u32,
    }

    "recobench_pad_activity" #[derive(Clone, Copy, Pod, Zeroable)] Found {
        charges: u16,
        longest_run: u16,
        largest: u16,
        noisy: u16,
    }
}

/// The numbers of pads in rows, in static memory that exists before buffers are allocated.
static PADS_IN_ROW: [u32; ROWS] = {
    let mut pads = [0; ROWS];
    let mut row = 0;
    while row < ROWS {
        pads[row] = pads_in_row(row) as u32;
        row += 1;
    }
    pads
};

impl PluginTask for TpcNoisyPads {
    fn describe<'a>(
        &self,
        input: &'a ChargeMaps,
        _: PluginRequest,
    ) -> Description<'a, Vec<PadActivity>> {
        let mut layout = Layout::new();
        layout.array("its charges", input.entries(), |shown: &mut NoisyPads| &mut shown.charges);
        layout
            .array("the numbers of pads in rows", &PADS_IN_ROW[..], |shown| &mut shown.pads_in_row);
        let found = layout.output("its output", input.pads(), |shown| &mut shown.found);
        let most = input.thresholds();
        let shown = NoisyPads {
            size: size_of::<NoisyPads>(),
            sectors: input.sectors() as u64,
            time_bins: input.time_bins().into(),
            map_entries: entries(input.time_bins()) as u64,
            rows: ROWS as u64,
            pads: PADS_IN_SECTOR as u64,
            most_charges: most.charges.into(),
            most_run: most.run.into(),
            saturation: most.saturation.into(),
            host_pads_in_row: PADS_IN_ROW.as_ptr(),
            ..Zeroable::zeroed()
        };
        layout.describe(
            shown,
            Box::new(move |outputs| {
                let pads = cast_slice::<_, Found>(outputs[found]).iter().enumerate();
                pads.map(|(number, pad)| activity(number, pad)).collect()
            }),
        )
    }
}

fn activity(number: usize, pad: &Found) -> Result<PadActivity, String> {
    let verdict = match pad.noisy {
        0 => Verdict::Good,
        1 => Verdict::Noisy,
        other => return Err(format!("pad {number}: noisy is {other}; 1 is yes and 0 is no")),
    };
    let Found { charges, longest_run, largest, .. } = *pad;
    Ok(PadActivity { charges, longest_run, largest, verdict })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpc_noisy_pads::hard_inputs;
    use tasks::plugin_session::testing::Compiled;

    #[test]
    fn the_example_is_right_on_all_hard_inputs() {
        let Some(example) = Compiled::from_example(TpcNoisyPads) else { return };
        example.assert_right(&["example-rows"], &hard_inputs::all(1));
    }

    #[test]
    fn pads_of_rows_are_described_before_allocation() {
        let inputs = hard_inputs::all(1);
        let asked = PluginRequest { semantics: tasks::algorithm::Semantics::Exact, by_time: false };
        let described = TpcNoisyPads.describe(&inputs[0].1, asked);
        // SAFETY: it is the struct of this task.
        let shown = unsafe { &*described.shown.as_ptr().cast::<NoisyPads>() };
        assert!(shown.pads_in_row.is_null());
        // SAFETY: the header specifies a number for each row in this array.
        let rows =
            unsafe { std::slice::from_raw_parts(shown.host_pads_in_row, shown.rows as usize) };
        let expected: Vec<u32> = (0..ROWS).map(|row| pads_in_row(row) as u32).collect();
        assert_eq!(rows, expected);
        assert_eq!(u64::from(rows.iter().sum::<u32>()), shown.pads);
    }
}
