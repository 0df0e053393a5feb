//! A chain, or a stage of it, ready to run on one input.

use std::borrow::Cow;
use std::time::Instant;

use super::{Product, Stage, StsTask};
use crate::algorithm::{Prepared, Stage as StageTime, Stages};
use crate::device::Arena;
use crate::device::gpu::DeviceError;
use crate::sts::Timeslice;
use crate::sts::chains::Chain;

/// A chain with the part of it that is to be timed.
pub(super) struct PreparedChain<'a> {
    chain: Box<dyn Chain + 'a>,
    /// The stage to be timed; all if there is none.
    stage: Option<Stage>,
    input: &'a Timeslice,
    arena: &'a Arena,
    times: Stages,
}

impl<'a> PreparedChain<'a> {
    pub(super) fn new(
        chain: Box<dyn Chain + 'a>,
        stage: Option<Stage>,
        input: &'a Timeslice,
        arena: &'a Arena,
    ) -> Self {
        PreparedChain {
            chain,
            stage,
            input,
            arena,
            times: Stages::new(),
        }
    }

    /// The stages that come before what is timed.
    fn run_before(&mut self) {
        let Some(stage) = self.stage else { return };
        let stages = self.chain.stages();
        let before = stages.iter().take_while(|&&other| other != stage);
        before.for_each(|&stage| self.chain.run(stage));
    }
}

impl<const STAGE: u8> Prepared<StsTask<STAGE>> for PreparedChain<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        self.chain.take(self.arena);
        self.run_before();
        Ok(())
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        self.chain.poison();
        self.run_before();
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        self.times.clear();
        if let Some(stage) = self.stage {
            self.chain.run(stage);
            return Ok(());
        }
        for &stage in self.chain.stages() {
            let start = Instant::now();
            self.chain.run(stage);
            let mut time = StageTime::new(stage.name());
            time.add(start.elapsed().as_secs_f64(), 0);
            self.times.push(time);
        }
        Ok(())
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        Ok(self.times.clone())
    }

    fn output(&self) -> Cow<'_, Product> {
        Cow::Owned(match self.stage {
            Some(stage) => self.chain.product(stage),
            None => Product::Both(
                Box::new(self.chain.product(Stage::ClusterSort)),
                Box::new(self.chain.product(Stage::Collect)),
            ),
        })
    }

    fn release(&mut self) {
        self.chain.release(self.arena);
    }

    fn buffer_bytes(&self) -> u64 {
        (size_of_val(self.input.stream()) + self.chain.bytes()) as u64
    }
}
