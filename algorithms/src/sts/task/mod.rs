//! The stages of the chain, and the chain itself, as tasks.
//!
//! Input of all of them: the streams of digis that a detector delivers in timeslices.
//! A stage's task first lets the stages before it run, by the same chain, which is not
//! timed. Output: what the stage leaves, or of the chain clusters and hits.
//!
//! | file | holds |
//! |---|---|
//! | `stage`, `product` | the stages, and what they leave |
//! | `variants`, `prepared` | ways to do a stage or all of them on the host, ready to run |
//! | `cuda_variants`, `cuda_prepared` | the same on a GPU |
//! | `answer`, `check` | what is right |
//! | `quality` | how good what is right is |
//! | `source` | simulated digis, files |
//! | `hard_inputs`, `smaller` | what is hard to get right |

mod answer;
mod check;
mod cuda_prepared;
mod cuda_variants;
mod hard_inputs;
mod prepared;
mod product;
mod quality;
mod smaller;
mod source;
mod stage;
mod variants;

use std::path::Path;

use generators::DataError;
use generators::sts::Digi;
use rayon::prelude::*;

use crate::algorithm::{Algorithm, Metric, Plan, Promise, Relation, Semantics, Variant, Work};
use crate::axis::{Axis, Params};
use crate::sts::Timeslice;

pub use check::Mismatch;
pub use product::Product;
pub use stage::Stage;

/// The number of the whole chain where stages have theirs.
const CHAIN: u8 = Stage::ALL.len() as u8;

/// The task of the stage with this number in [`Stage::ALL`], or of the whole chain.
pub struct StsTask<const STAGE: u8>;

/// The task `presort`.
pub type StsPresort = StsTask<{ Stage::Presort as u8 }>;
/// The task `cluster`.
pub type StsCluster = StsTask<{ Stage::Cluster as u8 }>;
/// The task `cluster-sort`.
pub type StsClusterSort = StsTask<{ Stage::ClusterSort as u8 }>;
/// The task `hits`.
pub type StsHits = StsTask<{ Stage::Hits as u8 }>;
/// The task `collect`.
pub type StsCollect = StsTask<{ Stage::Collect as u8 }>;
/// The task `sts`.
pub type StsChain = StsTask<CHAIN>;

/// What a detector delivers, one timeslice after the other, with the same setup and the
/// same right answer.
#[derive(Clone, Debug)]
pub struct Timeslices(pub Vec<Timeslice>);

impl Timeslices {
    fn digis(&self) -> usize {
        let digis = self.0.iter().map(|timeslice| timeslice.stream().len());
        digis.sum()
    }

    /// Bytes that all variants of a point may keep together of what stages left, beside
    /// their buffers: more than they come to as a rule.
    fn most_kept(&self) -> u64 {
        self.digis() as u64 * source::KEPT_FOR_DIGI
    }

    /// The right answer for variants that know two.
    fn online(&self) -> Semantics {
        self.0
            .first()
            .map_or_else(Semantics::default, Timeslice::online)
    }
}

impl<const STAGE: u8> StsTask<STAGE> {
    /// The stage; the whole chain if there is none.
    const STAGE: Option<Stage> = if STAGE < CHAIN {
        Some(Stage::ALL[STAGE as usize])
    } else {
        None
    };
}

impl<const STAGE: u8> Algorithm for StsTask<STAGE> {
    type Input = Timeslices;
    type Output = Vec<Product>;
    type Mismatch = Mismatch;

    const NAME: &'static str = match Self::STAGE {
        Some(stage) => stage.name(),
        None => "sts",
    };
    const SUMMARY: &'static str = match Self::STAGE {
        Some(Stage::Presort) => "distribute a detector's STS digis over module sides",
        Some(Stage::Cluster) => "find clusters in the sorted STS digis of each module side",
        Some(Stage::ClusterSort) => "sort the STS clusters of each module side by time",
        Some(Stage::Hits) => "find hits in the STS clusters of both sides of each module",
        Some(Stage::Collect) => "collect the STS hits of all modules in one array",
        Some(Stage::Zero | Stage::Sort) => "",
        None => "the whole STS chain, from a detector's digis to hits",
    };
    const INPUT: &'static str = "sts";
    const FILE_ENDING: &'static str = "csv";

    fn axes() -> &'static [Axis] {
        source::AXES
    }

    fn reading() -> &'static [Axis] {
        source::READING
    }

    fn variants() -> Vec<&'static dyn Variant<Self>> {
        let on_host = variants::of(Self::STAGE).iter();
        let on_host = on_host.map(|variant| variant as &dyn Variant<Self>);
        let on_gpu = cuda_variants::of(Self::STAGE).iter();
        let on_gpu = on_gpu.map(|variant| variant as &dyn Variant<Self>);
        on_host.chain(on_gpu).collect()
    }

    fn plan(params: Params) -> Result<Plan, DataError> {
        source::plan(params)
    }

    fn generate(params: &Params, seed: u64) -> Result<Timeslices, DataError> {
        source::simulated(params, seed)
    }

    fn read(path: &Path, options: &Params) -> Result<(Timeslices, Params), DataError> {
        source::read(path, options)
    }

    fn write(input: &Timeslices, path: &Path) -> Result<(), DataError> {
        source::write(input, path)
    }

    fn smaller(input: &Timeslices) -> Box<dyn Iterator<Item = Timeslices> + '_> {
        smaller::all(input)
    }

    fn hard_inputs(seed: u64) -> Vec<(String, Timeslices)> {
        hard_inputs::all(Self::STAGE, seed)
    }

    fn work(input: &Timeslices) -> Work {
        let digis = input.digis();
        let bytes = (digis * size_of::<Digi>()) as u64;
        Work {
            items: digis as u64,
            item_unit: "digi",
            // Each digi is read once; what is written depends on what is found.
            bytes_min: 2 * bytes,
            input_bytes: bytes,
            to_host_bytes: None,
            has_reference: true,
            metrics: vec![Metric::new(
                "ns_per_digi",
                digis as f64 * 1e-9,
                Relation::SecondsEach,
            )],
        }
    }

    fn reference(input: &Timeslices, semantics: Semantics) -> Option<Vec<Product>> {
        let answer = |timeslice| answer::answer(timeslice, Self::STAGE, semantics);
        Some(input.0.par_iter().map(answer).collect())
    }

    fn check(
        _: &Timeslices,
        reference: Option<&Vec<Product>>,
        output: &Vec<Product>,
        promise: Promise,
    ) -> Result<(), Mismatch> {
        let Some(reference) = reference else {
            return Err(Mismatch::Unknown);
        };
        if reference.len() != output.len() {
            return Err(Mismatch::Kind);
        }
        let mut pairs = reference.iter().zip(output);
        pairs.try_for_each(|(reference, output)| {
            check::check(Self::STAGE, promise.stable, reference, output)
        })
    }

    fn quality(input: &Timeslices, output: &Vec<Product>) -> Vec<Metric> {
        match Self::STAGE {
            None | Some(Stage::Hits) => quality::figures(input, output),
            Some(_) => Vec::new(),
        }
    }

    fn untouched(_: &Timeslices) -> Vec<Product> {
        Vec::new()
    }
}
