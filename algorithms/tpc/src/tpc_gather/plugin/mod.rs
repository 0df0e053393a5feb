//! Gathering by plugins.

mod abi;

use std::ffi::c_void;

use bytemuck::Zeroable;
use generators_tpc::clusters::{Clusters, FIELDS, Field, Layout, Per};

use super::TpcGather;
use super::cuda::slowdowns;
use super::packed::Packed;
use tasks::plugin::Contract;
use tasks::plugin::abi::{SEPARATE, TO_HOST};
use tasks::plugin_session::{
    AbiInput, Addresses, Array, Description, Figures, OutputSpec, PluginRequest, PluginTask,
    Upload, changed_at_byte,
};

/// Features that plugins of this task may declare.
pub(super) const CONTRACT: Contract =
    Contract { task: "gather", since: 1, cuda: &[SEPARATE, TO_HOST], ..Contract::NEW };

impl PluginTask for TpcGather {
    const FIGURES: Option<Figures> = Some(|gpu, run| slowdowns(gpu, run));

    fn describe<'a>(&self, input: &'a Clusters, _: PluginRequest) -> Description<'a, Packed> {
        let array = |name: &'static str, content: &'a [u8]| Array {
            name: name.into(),
            content: content.into(),
            changed: Some(changed_at_byte),
        };
        let [tracks, rows] = [input.tracks(), input.rows()].map(|pieces| &pieces.starts);
        Description {
            arrays: vec![
                array("its source", input.bytes()),
                array("the starts of tracks", bytemuck::cast_slice(tracks)),
                array("the starts of rows", bytemuck::cast_slice(rows)),
            ],
            on_host: 1,
            outputs: vec![OutputSpec::from_output(Layout::new(&input.packed()).bytes())],
            upload: Upload::BeforeRun,
            shown: Box::new(GatherInput::new(input)),
            read: Box::new(|outputs| Ok(Packed::from_bytes(outputs[0]))),
        }
    }
}

/// Input of a plugin.
struct GatherInput<'a> {
    gather: abi::Gather,
    // `gather` points to these. They are copies, so that plugins can't modify the originals.
    arrays: Vec<abi::GatherArray>,
    track_starts: Vec<u32>,
    row_starts: Vec<u32>,
    input: &'a Clusters,
}

impl<'a> GatherInput<'a> {
    fn new(input: &'a Clusters) -> Self {
        let arrays = arrays(input);
        let track_starts = input.tracks().starts.clone();
        let row_starts = input.rows().starts.clone();
        GatherInput {
            gather: abi::Gather {
                size: size_of::<abi::Gather>(),
                tracks: track_starts.len() as u64,
                rows: row_starts.len() as u64,
                source_bytes: input.bytes().len() as u64,
                output_bytes: Layout::new(&input.packed()).bytes() as u64,
                array_count: arrays.len() as u64,
                arrays: arrays.as_ptr(),
                track_counts: number_of("track_n_clusters"),
                row_counts: number_of("row_n_clusters"),
                track_starts: track_starts.as_ptr(),
                row_starts: row_starts.as_ptr(),
                ..Zeroable::zeroed()
            },
            arrays,
            track_starts,
            row_starts,
            input,
        }
    }
}

impl AbiInput for GatherInput<'_> {
    fn as_ptr(&self) -> *const c_void {
        (&raw const self.gather).cast()
    }

    fn set(&mut self, buffers: &Addresses) {
        self.gather.source = buffers.array(0);
        self.gather.device_track_starts = buffers.array(1);
        self.gather.device_row_starts = buffers.array(2);
        self.gather.output = buffers.output(0);
        self.gather.host_output = buffers.host_output();
    }

    fn damage(&self) -> Option<String> {
        let is_same = self.track_starts == self.input.tracks().starts
            && self.row_starts == self.input.rows().starts
            && self.arrays == arrays(self.input);
        (!is_same).then(|| "it changed the starts or the arrays that it was shown".to_owned())
    }

    fn bytes(&self) -> u64 {
        let [tracks, rows] = [&self.track_starts, &self.row_starts];
        (size_of_val(&tracks[..]) + size_of_val(&rows[..])) as u64
    }
}

/// All arrays, with gaps and without.
fn arrays(input: &Clusters) -> Vec<abi::GatherArray> {
    let source = input.layout();
    let packed = Layout::new(&input.packed());
    let array = |(number, field): (usize, &Field)| {
        let output = packed.range(number);
        abi::GatherArray {
            source_offset: source.range(number).start as u64,
            output_offset: output.start as u64,
            output_bytes: output.len() as u64,
            entry_bytes: field.bytes as u32,
            per: match field.per {
                Per::Row => abi::PER_ROW,
                Per::Track => abi::PER_TRACK,
                Per::Attached => abi::PER_ATTACHED,
                Per::Difference => abi::PER_DIFFERENCE,
                Per::Unattached => abi::PER_UNATTACHED,
            },
        }
    };
    FIELDS.iter().enumerate().map(array).collect()
}

/// The index of an array by its name, which must exist.
fn number_of(name: &str) -> u64 {
    let number = FIELDS.iter().position(|field| field.name == name);
    number.unwrap_or_default() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpc_gather::hard_inputs;
    use tasks::plugin_session::testing::Compiled;

    fn gathers() -> Option<Compiled<TpcGather>> {
        Compiled::new(TpcGather, "algorithms/tpc/src/tpc_gather/plugin/tests/gathers.c")
    }

    /// An input with pieces of all lengths at all distances.
    fn input() -> Clusters {
        let mut inputs = hard_inputs::all(1).into_iter();
        let found = inputs.find(|(name, _)| name == "all alignments");
        found.expect("there is one").1
    }

    #[test]
    fn correct_plugin_passes_all_hard_inputs() {
        let Some(gathers) = gathers() else { return };
        gathers.assert_right(&["right", "cuda-tohost"], &hard_inputs::all(1));
    }

    /// The code of these variants, with the host acting as a GPU: see `host_cuda/`.
    #[test]
    fn the_variants_of_libraries_are_right_on_all_hard_inputs() {
        let source = "algorithms/tpc/src/tpc_gather/plugin/tests/host_cuda/libraries.cpp";
        let Some(libraries) = Compiled::new(TpcGather, source) else {
            return;
        };
        libraries.assert_right(&["cub-memcpy-batched", "cuda-memcpy-batch"], &hard_inputs::all(1));
    }

    #[test]
    fn errors_are_reported() {
        let Some(gathers) = gathers() else { return };
        let nothing = "row_n_clusters, entry 0: [a5, a5, a5, a5] instead of";
        let expected = [
            ("scratch", "it wrote beyond the end of its scratch memory"),
            ("source", "it changed its source, at byte 0"),
            ("starts", "it changed the starts"),
            ("arrays", "it changed the starts or the arrays"),
            ("nothing", nothing),
            ("swapped", "attached_q_tot, entry "),
            ("shifted", "row_diff, entry 0: "),
            ("last", "unattached_sigma_time, entry "),
            ("stage", "libgathers.so called a stage \"total\""),
            ("refuses", "libgathers.so failed in run: out of luck"),
            ("cpu-before", "it wrote before the beginning of its output"),
            ("cuda-beyond", "it wrote beyond the end of its output"),
            ("cuda-hostbeyond", "it wrote beyond the end of its output"),
        ];
        gathers.assert_told(&input(), &expected);
    }

    #[test]
    fn stages_on_the_host_have_times() {
        let Some(gathers) = gathers() else { return };
        gathers.assert_stages("cpu-right", &input(), &["places", "copy"]);
    }

    #[test]
    fn memory_matches_the_provided_buffers() {
        let Some(gathers) = gathers() else { return };
        let input = input();
        let pieces = input.tracks().len() + input.rows().len();
        let buffers = input.bytes().len() + Layout::new(&input.packed()).bytes() + 4 * pieces;
        // Scratch memory of the plugin: the offsets of pieces, and the ends.
        let scratch = 4 * (pieces + 2);
        let expected = (buffers + scratch) as u64;
        assert_eq!(gathers.buffer_bytes("cpu-right", &input), expected);
    }
}
