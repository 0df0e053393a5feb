//! Inputs of tasks as data sets.

use std::path::Path;

use generators::DataError;
use text::Untrusted;

use super::{DataSet, DataSetInfo, Write};
use crate::algorithm::{Algorithm, Plan};
use crate::axis::{Axis, Params};

/// The input of a task as a data set.
pub(super) struct TaskInput<A: Algorithm> {
    pub(super) info: DataSetInfo,
    pub(super) algorithm: A,
    /// Checks that it can be written to such a file.
    pub(super) check: fn(&Params, &Path) -> Result<(), DataError>,
    /// Describes its contents.
    pub(super) describe: fn(&A::Input) -> String,
}

impl<A: Algorithm> DataSet for TaskInput<A> {
    fn info(&self) -> DataSetInfo {
        self.info
    }

    fn axes(&self) -> Vec<&'static Axis> {
        self.algorithm.info().axes.iter().collect()
    }

    fn plan<'a>(
        &'a self,
        params: Params,
        seed: u64,
        out: &'a Path,
    ) -> Result<(Plan, Write<'a>), DataError> {
        let plan = self.algorithm.plan(params)?;
        (self.check)(&plan.params, out)?;
        let params = plan.params.clone();
        let write = move |report: &dyn Fn(&str)| {
            let input = self.algorithm.generate(&params, seed)?;
            self.algorithm.write(&input, out)?;
            let what = (self.describe)(&input);
            report(&format!("{what} written to {}", out.escaped()));
            Ok(())
        };
        Ok((plan, Box::new(write)))
    }
}
