//! Data that can be generated and written to files.

mod simulated;

use generators_sts::io::check_writable;
use tasks::data_set::{DataSet, DataSetInfo, TaskInput};

use crate::sts_sort::{SEGMENTS, StsSort};
use simulated::{StsPhysics, StsRaw};

const EXAMPLES: &str = "  bench generate sts --segments 24 --digis 2M --out digis.csv
  bench generate sts --rate 10MHz --timeslice 1ms --noise 1kHz --skew 10 --out digis.bin.gz

Digis are independent of each other; sts-physics makes those of particles.";

/// All data sets.
pub(crate) const DATA_SETS: &[&dyn DataSet] = &[
    &TaskInput {
        info: DataSetInfo {
            name: "sts",
            summary: "Write STS digis to a file",
            endings: ".csv or .bin, with .gz to compress",
            examples: EXAMPLES,
        },
        algorithm: StsSort,
        check: |params, out| check_writable(out, SEGMENTS.value(params)?),
        describe: |digis| {
            let count = digis.digis().len();
            let segments = digis.partition().segments();
            format!("{count} digis in {segments} segments")
        },
    },
    &StsPhysics,
    &StsRaw,
];
