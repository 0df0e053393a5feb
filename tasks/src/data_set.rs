//! Data that can be generated and written to files.
//!
//! Most are inputs of a task ([`TaskInput`]); others write more than one file, or more than fits into
//! memory at once.

use std::path::Path;

use generators_common::DataError;
use text::Untrusted;

use crate::algorithm::{Algorithm, Plan};
use crate::axis::{Axis, Params};

/// Data that can be generated and written to a file.
pub trait DataSet: Sync {
    /// Description.
    fn info(&self) -> DataSetInfo;

    /// Parameters.
    fn axes(&self) -> Vec<&'static Axis>;

    /// Returns the memory that generating needs with complete parameters, and the function that
    /// generates, which is called once enough memory is available.
    ///
    /// # Errors
    /// If the parameters are invalid, or the file can't be written.
    fn plan<'a>(
        &'a self,
        params: Params,
        seed: u64,
        out: &'a Path,
    ) -> Result<(Plan, Write<'a>), DataError>;
}

/// Generates data and writes them. Calls its argument with messages about the written files.
pub type Write<'a> = Box<dyn FnOnce(&dyn Fn(&str)) -> Result<(), DataError> + 'a>;

/// Description of a data set.
#[derive(Clone, Copy, Debug)]
pub struct DataSetInfo {
    /// Name.
    pub name: &'static str,
    /// Contents of the file, in one line.
    pub summary: &'static str,
    /// File name endings that it supports.
    pub endings: &'static str,
    /// Examples in the help of its command, a line each.
    pub examples: &'static str,
}

/// The input of a task as a data set.
pub struct TaskInput<A: Algorithm> {
    /// Description.
    pub info: DataSetInfo,
    /// The task.
    pub algorithm: A,
    /// Checks that it can be written to such a file.
    pub check: fn(&Params, &Path) -> Result<(), DataError>,
    /// Describes its contents.
    pub describe: fn(&A::Input) -> String,
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
