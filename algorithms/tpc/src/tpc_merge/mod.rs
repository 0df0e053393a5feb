//! Merging slice tracks.
//!
//! Input: slice tracks with their known relations, and at most one link each. Output: the relations
//! after all links were followed in ascending order of the slice track that has them, bit for bit.
//!
//! The result depends on the order of the links *inside* a connected component of slice tracks and
//! not at all between components. So components are found first (*setup*, *hook*, *jump*), links
//! are brought together by component (*order*), and then one worker follows those of a component
//! (*resolve*). Components are small, 2 to 6 slice tracks, with a long tail.
//!
//! | module | holds |
//! |---|---|
//! | `axes` | parameters |
//! | `resolve` | following a link |
//! | `components` | connected components |
//! | `reference` | the expected output |
//! | `hard_inputs` | difficult inputs for tests |
//! | `cpu`, `cuda` | the variants |
//! | `plugin` | variants from shared libraries |

mod axes;
mod components;
mod cpu;
mod cuda;
mod hard_inputs;
mod plugin;
mod reference;
mod resolve;

use std::path::Path;

use generators_common::DataError;
use generators_common::io::{Table, write_table};
use generators_tpc::io::{read_slice_tracks, write_slice_tracks};
use generators_tpc::slice_tracks::{
    NONE, Relations, SliceTrack, SliceTracks, TrackProblem, generate,
};
use parallel::first_difference;

use tasks::algorithm::{
    Algorithm, CheckError, InputFiles, OutputFiles, Plan, Promise, Semantics, TaskInfo, Variant,
    Work,
};
use tasks::axis::Params;
use tasks::plugin::Contract;
use tasks::plugin_session::variants;

pub use axes::{AXES, shape};

/// Number of slice tracks at the start or the end of a link.
fn linked_tracks(input: &SliceTracks) -> u64 {
    let mut is_linked = vec![false; input.len()];
    for (track, &link) in input.links().iter().enumerate().filter(|(_, link)| **link != NONE) {
        is_linked[track] = true;
        is_linked[link as usize] = true;
    }
    is_linked.into_iter().filter(|&is_linked| is_linked).count() as u64
}

/// A row for each slice track: related ones by their indices, -1 for none.
fn relation_table(relations: &[Relations]) -> Table {
    let index = |track: u32| if track == NONE { -1 } else { i64::from(track) };
    Table::new()
        .with("track", 0..relations.len() as u64)
        .with("segment_prev", relations.iter().map(|it| index(it.segment_prev)))
        .with("segment_next", relations.iter().map(|it| index(it.segment_next)))
        .with("neighbour_lower", relations.iter().map(|it| index(it.neighbours[0])))
        .with("neighbour_upper", relations.iter().map(|it| index(it.neighbours[1])))
}

const EXAMPLES: &str = "  bench merge --tracks 1M,10M --ids local,shuffled --threads 1,2
  bench merge --tracks 30M --device cuda:0 --variant components-blocks,buckets
  bench merge --variant shares,sequential --threads 1,2 --cache hot,cold
  bench generate tracks --tracks 1M --out tracks.csv
  bench merge --input tracks.csv --format markdown";

/// The task `merge`.
#[derive(Clone, Copy, Debug)]
pub struct TpcMerge;

/// Bytes of kinematics, relations and a link.
const TRACK_BYTES: u64 = (size_of::<SliceTrack>() + size_of::<Relations>() + 4) as u64;
/// Bytes of a link.
const LINK_BYTES: u64 = size_of::<u32>() as u64;
/// Bytes that are read of each slice track at the start or the end of a link. Kinematics are read
/// only of those that are not joined already.
const LINKED_BYTES: u64 = size_of::<Relations>() as u64;
/// Scratch memory of the variant with the largest need: labels, offsets, lists of members.
const SCRATCH_BYTES: u64 = 32;
/// Bytes of the reference for a slice track: it has a list for each leg.
const REFERENCE_BYTES: u64 = 120;
/// With more slice tracks the reference would take longer than all variants together.
const REFERENCE_LIMIT: usize = 40_000_000;

impl Algorithm for TpcMerge {
    type Input = SliceTracks;
    type Output = Vec<Relations>;

    fn info(&self) -> TaskInfo {
        TaskInfo {
            name: "merge",
            summary: "merge the TPC's slice tracks that belong together",
            input: "merge",
            file_endings: &["csv", "bin"],
            axes: AXES,
            file_axes: &[],
            metrics: &[],
        }
    }

    fn variants(&self) -> Vec<Variant<Self>> {
        [cpu::VARIANTS, cuda::VARIANTS, &variants(self, &[])].concat()
    }

    fn contract(&self) -> Option<&'static Contract> {
        Some(&plugin::CONTRACT)
    }

    fn examples(&self) -> &'static str {
        EXAMPLES
    }

    fn plan(&self, mut params: Params) -> Result<Plan, DataError> {
        params.complete(AXES);
        let shape = shape(&params)?;
        shape.validate()?;
        let has_reference = shape.tracks <= REFERENCE_LIMIT;
        let reference = u64::from(has_reference) * REFERENCE_BYTES;
        let each = 2 * TRACK_BYTES + SCRATCH_BYTES + reference;
        Ok(Plan { params, memory_bytes: (shape.tracks as u64).saturating_mul(each) })
    }

    fn generate(&self, params: &Params, seed: u64) -> Result<SliceTracks, DataError> {
        generate(&shape(params)?, seed)
    }

    fn read(&self, files: &InputFiles, _: &Params) -> Result<(SliceTracks, Params), DataError> {
        let path = files.only()?;
        let tracks = read_slice_tracks(path)?;
        let params = axes::of_file(path, &tracks);
        Ok((tracks, params))
    }

    fn write(&self, input: &SliceTracks, path: &Path) -> Result<(), DataError> {
        write_slice_tracks(path, input)
    }

    fn output_files(&self) -> Option<OutputFiles> {
        Some(OutputFiles::new(&["slice track"], "sequential", "components-blocks"))
    }

    fn write_output(
        &self,
        _: &SliceTracks,
        output: &Vec<Relations>,
        _: usize,
        path: &Path,
    ) -> Result<usize, DataError> {
        write_table(path, &relation_table(output))?;
        Ok(output.len())
    }

    fn shrink<'i>(&self, input: &'i SliceTracks) -> Box<dyn Iterator<Item = SliceTracks> + 'i> {
        Box::new(hard_inputs::shrunk(input))
    }

    fn hard_inputs(&self, seed: u64) -> Vec<(String, SliceTracks)> {
        hard_inputs::all(seed)
    }

    fn work(&self, input: &SliceTracks) -> Work {
        let tracks = input.len() as u64;
        let input_bytes = tracks * TRACK_BYTES;
        Work {
            items: tracks,
            item_unit: "slice track",
            bytes_min: tracks * LINK_BYTES + linked_tracks(input) * LINKED_BYTES,
            input_bytes,
            to_host_bytes: None,
            has_reference: input.len() <= REFERENCE_LIMIT,
            metrics: Vec::new(),
        }
    }

    fn notes(&self, input: &SliceTracks) -> Vec<String> {
        let links = input.links().iter().filter(|link| **link != NONE).count();
        vec![components::describe(input), format!("{links} links")]
    }

    fn reference(&self, input: &SliceTracks, _: Semantics) -> Option<Vec<Relations>> {
        (input.len() <= REFERENCE_LIMIT).then(|| reference::merge(input))
    }

    fn check(
        &self,
        input: &SliceTracks,
        reference: Option<&Vec<Relations>>,
        output: &Vec<Relations>,
        promise: Promise,
    ) -> Result<(), CheckError> {
        match reference {
            Some(reference) => self.compare(input, reference, output, promise),
            None => Ok(sound(input, output)?),
        }
    }

    fn no_op_output(&self, input: &SliceTracks) -> Vec<Relations> {
        input.relations().to_vec()
    }
}

/// Errors in an output that has no reference.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Mismatch {
    /// Inconsistent relations.
    #[error("the output is inconsistent: {0}")]
    Unsound(#[from] TrackProblem),
    /// A track differs from the connected component of links and relations.
    #[error("slice track {track}: its track is not the component that links and relations make")]
    Component {
        /// Index of the slice track.
        track: usize,
    },
}

/// Checks that every component became one track.
fn sound(input: &SliceTracks, output: &[Relations]) -> Result<(), Mismatch> {
    let without_links = vec![NONE; input.len()];
    let merged = SliceTracks::new(input.tracks().to_vec(), output.to_vec(), without_links)?;
    let labels = |tracks| move || components::labels(tracks);
    let (expected, found) = rayon::join(labels(input), labels(&merged));
    match first_difference(&expected, &found) {
        None => Ok(()),
        Some(track) => Err(Mismatch::Component { track }),
    }
}

#[cfg(test)]
mod tests {
    use generators_tpc::slice_tracks::{Ids, TrackShape, generate};

    use super::*;

    fn input() -> SliceTracks {
        let shape = TrackShape { tracks: 500, ids: Ids::Local };
        generate(&shape, 3).expect("made")
    }

    #[test]
    fn only_the_reference_passes() {
        let input = input();
        let reference = reference::merge(&input);
        assert_eq!(sound(&input, &reference), Ok(()));
        let unjoined = sound(&input, input.relations());
        assert!(matches!(unjoined, Err(Mismatch::Component { .. })));
        assert!(matches!(sound(&input, &[]), Err(Mismatch::Unsound(_))));
        let mut output = reference.clone();
        let mut pieces = output.iter_mut();
        let piece = pieces.find(|track| track.segment_prev != NONE);
        piece.expect("a chain").segment_prev = NONE;
        assert!(matches!(sound(&input, &output), Err(Mismatch::Unsound(_))));
    }
}
