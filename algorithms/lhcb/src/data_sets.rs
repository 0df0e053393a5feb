//! Data that can be generated and written to files.

use generators_lhcb::io::check_event_file;
use tasks::algorithm::Algorithm;
use tasks::data_set::{DataSet, DataSetInfo, TaskInput};

use crate::velo::{Stage, VeloTask};

const EXAMPLES: &str = "  bench generate velo --events 1000 --out events.mdf
  bench generate velo --preset bsphiphi --banks retina --out signal.mdf.gz
  bench generate velo --events 10 --occupancy 3 --out dense.cases.gz";

const VELO: VeloTask = VeloTask { stage: Stage::Chain };

/// All data sets.
pub(crate) const DATA_SETS: &[&dyn DataSet] = &[&TaskInput {
    info: DataSetInfo {
        name: "velo",
        summary: "Write raw banks of LHCb's VELO, with the truth of their particles, to a file",
        endings: ".mdf or .cases (without truth), with .gz to compress",
        examples: EXAMPLES,
    },
    algorithm: VELO,
    check: |_, out| check_event_file(out),
    describe: |events| VELO.notes(events).join("; "),
}];
