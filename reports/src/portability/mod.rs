//! Cost of portable kernels: their times over those of equivalent native ones, step by step, on the
//! same GPU and in the same rounds. The candidates for each native variant in a run are found here.
//!
//! | module | holds |
//! |---|---|
//! | `cost` | a ratio of kernels' times with its interval, and the verdict on a claim |
//! | `render` | tables, CSV and JSON |
//!
//! Runs do not contain which variants are equivalent: the caller provides the [`Pair`]s.

mod cost;
#[cfg(test)]
pub(crate) mod fixture;
mod render;

pub use cost::{CLAIMED, ClaimVerdict, Cost};
#[cfg(test)]
pub(crate) use render::PortableKernel;
pub use render::{Comparisons, what_differs};

use crate::grouped::grouped;
use crate::rank::{KERNEL, TOTAL};
use crate::record::{Point, SampleRow, SummaryRow, YesNo};
use crate::shape;
use cost::Kernels;

/// A variant, and the equivalent native one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The task.
    pub task: &'static str,
    /// The native variant.
    pub native: &'static str,
    /// The other one.
    pub variant: &'static str,
    /// The backend of the other one: `cuda`, `wgpu`.
    pub backend: &'static str,
    /// Difference in the source: `shaders`, or the replacement of a native feature.
    pub written_as: &'static str,
    /// Further differences, with reasons; empty if there are none.
    pub differs: &'static str,
}

/// Name of the native kernels that are measured a second time.
const AGAIN: &str = "native, once more";
/// Suffix of the name of shaders with runtime checks.
const CHECKED: &str = "checked";

/// A native variant on one input, with all equivalent candidates.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    /// The row of all its kernels together.
    pub native: &'a SummaryRow,
    /// Resources of its kernels.
    pub resources: Resources,
    /// The candidates, repeated native kernels first.
    pub candidates: Vec<Candidate<'a>>,
    /// Difference between two measurements of native kernels, as a fraction; `None` if they were
    /// not measured twice.
    pub noise: Option<f64>,
}

/// Kernels that are equivalent to native ones.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    /// `shaders`, `shaders, checked`, or the replacement of a native feature.
    pub written_as: String,
    /// The row of the total time.
    pub total: &'a SummaryRow,
    /// The time of its kernels in seconds.
    pub seconds: Option<f64>,
    /// The cost, or the reason why it is not known.
    pub cost: Result<Cost, String>,
    /// Verdict on the claim of 0.2 %; unknown for native kernels.
    pub judged: ClaimVerdict,
    /// Resources of its kernels.
    pub resources: Resources,
    /// Further differences, with reasons; empty if there are none.
    pub differs: &'static str,
}

/// All native variants of a run that have candidates, input by input.
pub fn comparisons<'a>(
    rows: &'a [SummaryRow],
    samples: &[SampleRow],
    pairs: &[Pair],
) -> Vec<Comparison<'a>> {
    let of_task = grouped(rows, |row| row.algorithm.clone());
    let natives = of_task.into_iter().flat_map(|(_, rows)| rows).filter(|row| {
        let is_native = |pair: &Pair| pair.task == row.algorithm && pair.native == row.variant;
        row.stage == KERNEL
            && row.valid == YesNo::Yes
            && Role::from_device(&row.device) == Some(Role::Native)
            && pairs.iter().any(is_native)
    });
    let run = Run { rows, samples };
    let comparisons = natives.map(|native| run.comparison(native, pairs));
    comparisons.filter(|comparison| !comparison.candidates.is_empty()).collect()
}

impl Comparison<'_> {
    /// Axes of the input for tables and charts.
    pub fn axes(&self) -> shape::Axes {
        let is_of_input = |name: &str| self.native.params.get(name).is_some();
        let axes = shape::axes(self.native).into_iter();
        axes.filter(|(name, _)| is_of_input(name)).collect()
    }
}

/// The run that is searched.
struct Run<'a, 's> {
    rows: &'a [SummaryRow],
    samples: &'s [SampleRow],
}

impl<'a> Run<'a, '_> {
    fn comparison(&self, native: &'a SummaryRow, pairs: &[Pair]) -> Comparison<'a> {
        let point = native.point();
        let base = Kernels::from_samples(&point, self.samples);
        let again = self.candidate(&base, &point, &native.variant, Role::Again, AGAIN);
        let noise = again.as_ref().and_then(|again| again.cost.as_ref().ok()?.bound());
        let is_its = |pair: &&Pair| pair.task == native.algorithm && pair.native == native.variant;
        let others = pairs.iter().filter(is_its).flat_map(|pair| {
            roles(pair).iter().filter_map(|&role| {
                let name = written_as(pair, role);
                let other = self.candidate(&base, &point, pair.variant, role, &name)?;
                let judged =
                    other.cost.as_ref().map_or(ClaimVerdict::Unknown, |it| it.judged(noise));
                Some(Candidate { differs: pair.differs, judged, ..other })
            })
        });
        let candidates = again.clone().into_iter().chain(others).collect();
        let resources = Resources::for_point(&point, self.rows);
        Comparison { native, resources, candidates, noise }
    }

    /// A variant on the input of a native one, if it was requested.
    fn candidate(
        &self,
        base: &Kernels,
        native: &Point,
        variant: &str,
        role: Role,
        name: &str,
    ) -> Option<Candidate<'a>> {
        let is_it = |row: &&SummaryRow| {
            row.stage == TOTAL
                && row.variant == variant
                && Role::from_device(&row.device) == Some(role)
                && row.point()
                    == Point {
                        variant: row.variant.clone(),
                        device: row.device.clone(),
                        ..native.clone()
                    }
        };
        let total = self.rows.iter().find(is_it)?;
        let point = total.point();
        let is_its = |row: &&SummaryRow| row.stage == KERNEL && row.point() == point;
        let cost = match total.valid {
            YesNo::No => Err(total.note.clone()),
            YesNo::Yes => Cost::new(base, &Kernels::from_samples(&point, self.samples))
                .ok_or_else(|| "the times of its kernels are not known".to_owned()),
        };
        Some(Candidate {
            written_as: name.to_owned(),
            total,
            seconds: self.rows.iter().find(is_its).and_then(SummaryRow::valid_median),
            cost,
            judged: ClaimVerdict::Unknown,
            resources: Resources::for_point(&point, self.rows),
            differs: "",
        })
    }
}

/// Roles of the devices on which a candidate is measured.
fn roles(pair: &Pair) -> &'static [Role] {
    match pair.backend {
        "wgpu" => &[Role::Shaders, Role::Checked],
        _ => &[Role::Native],
    }
}

fn written_as(pair: &Pair, role: Role) -> String {
    match role {
        Role::Checked => format!("{}, {CHECKED}", pair.written_as),
        _ => pair.written_as.to_owned(),
    }
}

/// Role of a device in a comparison of kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// A GPU with native kernels.
    Native,
    /// A second opening of the native GPU: differences in time are noise.
    Again,
    /// A GPU whose shaders run without checks, as native kernels do.
    Shaders,
    /// A GPU whose shaders are checked.
    Checked,
}

impl Role {
    /// Role of a device by its name; `None` if it is not a GPU.
    fn from_device(device: &str) -> Option<Self> {
        let (kind, number) = device.split_once(':')?;
        match (kind, number.split_once('+')) {
            ("cuda", None) => Some(Role::Native),
            ("cuda", Some((_, "again"))) => Some(Role::Again),
            ("wgpu", None) => Some(Role::Shaders),
            ("wgpu", Some((_, "checked"))) => Some(Role::Checked),
            _ => None,
        }
    }
}

/// Resources of the longest kernel of a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resources {
    /// The kernel's name; empty if unknown.
    pub kernel: String,
    /// Registers per thread; drivers don't report them for shaders.
    pub registers: Option<f64>,
    /// Bytes of local memory per thread: spilled registers and local arrays.
    pub local_bytes: Option<f64>,
    /// Bytes of shared memory per block.
    pub shared_bytes: Option<f64>,
    /// Resident threads of a multiprocessor, over its maximum.
    pub occupancy: Option<f64>,
}

impl Resources {
    /// Resources of the kernels of a point in a run.
    fn for_point(point: &Point, rows: &[SummaryRow]) -> Self {
        let is_kernel = |row: &&SummaryRow| row.metrics.get("occupancy").is_some();
        let kernels = rows.iter().filter(is_kernel).filter(|row| row.point() == *point);
        let time = |row: &SummaryRow| row.median_s.unwrap_or(0.0);
        let longest = kernels.max_by(|a, b| time(a).total_cmp(&time(b)));
        longest.map_or_else(Resources::default, |row| Resources {
            kernel: row.stage.clone(),
            registers: row.metrics.number("registers"),
            local_bytes: row.metrics.number("local_bytes"),
            shared_bytes: row.metrics.number("shared_bytes"),
            occupancy: row.metrics.number("occupancy"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::fixture::{PAIRS, point, rows, run};
    use super::*;

    #[test]
    fn each_candidate_is_compared_with_its_native_variant() {
        let (rows, samples) = run();
        let found = comparisons(&rows, &samples, &PAIRS);
        let [one] = &found[..] else { panic!("{} native variants", found.len()) };
        let names: Vec<&str> = one.candidates.iter().map(|it| it.written_as.as_str()).collect();
        let idiom = "ballots as sums of shifted ones";
        assert_eq!(names, [AGAIN, "shaders", "shaders, checked", idiom]);
        assert!(one.noise.expect("measured twice") < 5e-4, "{:?}", one.noise);
        let judged: Vec<ClaimVerdict> = one.candidates.iter().map(|it| it.judged).collect();
        assert_eq!(
            judged,
            [
                ClaimVerdict::Unknown,
                ClaimVerdict::Beyond,
                ClaimVerdict::Beyond,
                ClaimVerdict::Within
            ]
        );
        let ratio =
            |number: usize| one.candidates[number].cost.as_ref().expect("known").estimate.ratio;
        assert!((ratio(2) / 2.1 - 1.0).abs() < 1e-3, "{}", ratio(2));
        assert_eq!(one.candidates[1].seconds, Some(1.5e-3));
        assert_eq!(one.candidates[1].differs, "blocks are smaller");
    }

    #[test]
    fn refusing_variants_are_named_with_the_reason() {
        let (mut rows, samples) = run();
        for row in rows.iter_mut().filter(|row| row.device == "wgpu:0") {
            (row.valid, row.note) = (YesNo::No, "needs fractions of 64 bits".into());
        }
        let found = comparisons(&rows, &samples, &PAIRS);
        let shaders = &found[0].candidates[1];
        assert_eq!(shaders.cost, Err("needs fractions of 64 bits".to_owned()));
        assert_eq!(shaders.judged, ClaimVerdict::Unknown);
    }

    #[test]
    fn other_inputs_and_what_has_no_partner_are_left_alone() {
        let (mut rows, samples) = run();
        rows.retain(|row| row.device == "cuda:0" && row.variant == "native");
        assert!(comparisons(&rows, &samples, &PAIRS).is_empty(), "alone");
        let (mut rows, samples) = run();
        for row in rows.iter_mut().filter(|row| row.device.starts_with("wgpu")) {
            row.params = "digis=2000000;order=random;segments=24".parse().expect("well formed");
        }
        assert_eq!(comparisons(&rows, &samples, &PAIRS)[0].candidates.len(), 2);
        assert!(comparisons(&rows, &samples, &[]).is_empty());
    }

    #[test]
    fn devices_have_their_roles_by_name() {
        let roles = ["cuda:0", "cuda:3+again", "wgpu:1", "wgpu:0+checked"].map(Role::from_device);
        let expected = [Role::Native, Role::Again, Role::Shaders, Role::Checked];
        assert_eq!(roles, expected.map(Some));
        assert_eq!(["cpu", "emulator", "wgpu:0+again", "hip:0"].map(Role::from_device), [None; 4]);
    }

    #[test]
    fn resources_are_those_of_the_longest_kernel() {
        let point = point("native", "cuda:0");
        let mut rows = rows(&point, 1e-3);
        let resources = Resources::for_point(&point, &rows);
        assert_eq!((resources.kernel.as_str(), resources.registers), ("long", Some(40.0)));
        rows.retain(|row| row.stage != "long");
        let resources = Resources::for_point(&point, &rows);
        assert_eq!((resources.kernel.as_str(), resources.registers), ("short", Some(16.0)));
        assert_eq!(Resources::for_point(&point, &[]), Resources::default());
    }
}
