//! A task with variants that fail at different times.

use std::path::Path;

use generators_common::DataError;
use portable_gpu::DeviceError;
use tasks::algorithm::{CheckError, InputFiles, Plan, Semantics, TaskInfo, Work};
use tasks::axis::Params;
use tasks::device::{Backend, Target, Unavailable};
use tasks::task::{Candidate, Case, Task, VariantInfo};

pub const TASK: Fake = Fake;

const VARIANTS: [&str; 5] = ["right", "wrong", "wrong-later", "panics-later", "fails-later"];
/// Number of initial runs: one that is checked, and some for warm-up.
const FIRST: usize = 3;

pub struct Fake;

struct FakeCase(Params);

struct FakeCandidate {
    variant: &'static str,
    runs: usize,
}

impl Task for Fake {
    fn info(&self) -> TaskInfo {
        TaskInfo { name: "act", ..crate::registry::tasks()[0].info() }
    }

    fn variants(&self) -> Vec<VariantInfo> {
        let info = |name: &'static str| VariantInfo {
            name,
            summary: "",
            backend: Backend::Cpu,
            stable: true,
            semantics_supported: &[Semantics::Exact],
            nested: None,
            native: None,
            plugin: None,
            unavailable_reason: None,
            code: 0,
        };
        VARIANTS.map(info).to_vec()
    }

    fn plan(&self, params: Params) -> Result<Plan, DataError> {
        Ok(Plan { params, memory_bytes: 0 })
    }

    fn generate(&self, params: &Params, _: u64) -> Result<Box<dyn Case>, DataError> {
        Ok(Box::new(FakeCase(params.clone())))
    }

    fn read(&self, files: &InputFiles, _: &Params) -> Result<Box<dyn Case>, DataError> {
        Err(DataError::UnknownFileType(files.first().to_owned()))
    }

    fn hard_cases(&self, _: u64) -> Vec<(String, Box<dyn Case>)> {
        Vec::new()
    }
}

impl Case for FakeCase {
    fn params(&self) -> &Params {
        &self.0
    }

    fn work(&self) -> Work {
        Work { items: 1, item_unit: "act", bytes_min: 1, input_bytes: 1, ..Work::default() }
    }

    fn prepare<'c>(
        &'c self,
        variant: usize,
        _: &Target<'_>,
    ) -> Result<Box<dyn Candidate + 'c>, Unavailable> {
        Ok(Box::new(FakeCandidate { variant: VARIANTS[variant], runs: 0 }))
    }

    fn drop_buffers(&self) {}

    fn write(&self, path: &Path) -> Result<(), DataError> {
        Err(DataError::UnknownFileType(path.to_owned()))
    }

    fn check_reference(&self) -> Result<(), CheckError> {
        Ok(())
    }

    fn refused_mutants(&self, _: u64) -> Result<usize, String> {
        Ok(0)
    }

    fn rejects_no_op(&self) -> bool {
        true
    }
}

impl Candidate for FakeCandidate {
    fn reset(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        self.runs += 1;
        std::thread::sleep(std::time::Duration::from_millis(1));
        match self.variant {
            "panics-later" if self.runs > FIRST => panic!("no more acts"),
            "fails-later" if self.runs > FIRST => {
                Err(DeviceError::Unusable { device: "cpu".into(), reason: "tired".into() })
            }
            _ => Ok(()),
        }
    }

    fn check(&mut self) -> Result<(), CheckError> {
        match self.variant {
            "wrong" => Err("an act is missing".into()),
            "wrong-later" if self.runs > FIRST => Err("an act is missing".into()),
            _ => Ok(()),
        }
    }

    fn release(&mut self) {}

    fn buffer_bytes(&self) -> u64 {
        1
    }
}
