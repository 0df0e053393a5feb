//! A chain, or a stage of it, ready to run on one input.

use std::borrow::Cow;
use std::time::Instant;

use super::{Product, Stage, StsTask};
use crate::algorithm::{Prepared, Stage as StageTime, Stages};
use crate::device::Arena;
use crate::device::gpu::DeviceError;
use crate::sts::chains::Chain;

/// A chain for each timeslice, with the part of it that is to be timed.
pub(super) struct PreparedChains<'a> {
    chains: Vec<Box<dyn Chain + 'a>>,
    /// The stage to be timed; all if there is none.
    stage: Option<Stage>,
    arena: &'a Arena,
    times: Stages,
}

impl<'a> PreparedChains<'a> {
    pub(super) fn new(
        chains: Vec<Box<dyn Chain + 'a>>,
        stage: Option<Stage>,
        arena: &'a Arena,
    ) -> Self {
        PreparedChains {
            chains,
            stage,
            arena,
            times: Stages::new(),
        }
    }

    /// The stages that come before what is timed.
    fn run_before(&mut self) {
        let Some(stage) = self.stage else { return };
        for chain in &mut self.chains {
            let before = chain.stages().iter().take_while(|&&other| other != stage);
            before.for_each(|&stage| chain.run(stage));
        }
    }

    /// All stages of one timeslice after the other, as they would arrive.
    fn run_all(&mut self) {
        for chain in &mut self.chains {
            for &stage in chain.stages() {
                let start = Instant::now();
                chain.run(stage);
                add_time(&mut self.times, stage, start.elapsed().as_secs_f64());
            }
        }
    }
}

fn add_time(times: &mut Stages, stage: Stage, seconds: f64) {
    let known = times.iter().position(|time| time.name == stage.name());
    let place = known.unwrap_or_else(|| {
        times.push(StageTime::new(stage.name()));
        times.len() - 1
    });
    times[place].add(seconds, 0);
}

impl<const STAGE: u8> Prepared<StsTask<STAGE>> for PreparedChains<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        for chain in &mut self.chains {
            chain.take(self.arena);
        }
        self.run_before();
        Ok(())
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        for chain in &mut self.chains {
            chain.poison();
        }
        self.run_before();
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        self.times.clear();
        match self.stage {
            Some(stage) => self.chains.iter_mut().for_each(|chain| chain.run(stage)),
            None => self.run_all(),
        }
        Ok(())
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        Ok(self.times.clone())
    }

    fn output(&self) -> Cow<'_, Vec<Product>> {
        let product = |chain: &(dyn Chain + '_)| match self.stage {
            Some(stage) => chain.product(stage),
            None => Product::Both(
                Box::new(chain.product(Stage::ClusterSort)),
                Box::new(chain.product(Stage::Collect)),
            ),
        };
        Cow::Owned(
            self.chains
                .iter()
                .map(|chain| product(chain.as_ref()))
                .collect(),
        )
    }

    fn release(&mut self) {
        for chain in &mut self.chains {
            chain.release(self.arena);
        }
    }

    fn buffer_bytes(&self) -> u64 {
        self.chains.iter().map(|chain| chain.bytes() as u64).sum()
    }
}
