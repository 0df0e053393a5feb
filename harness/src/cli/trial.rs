//! The subcommand that tries a plugin: `bench` starts it itself.

use std::path::PathBuf;

use algorithms::device::Device;
use algorithms::task::Task;
use clap::Args;

use crate::plugins::trial::{TrialRequest, VariantTrial};
use crate::request::values;

/// Plugin to try, and the variant of it.
#[derive(Args)]
pub struct TrialFlags {
    #[arg(value_name = "plugin")]
    plugin: PathBuf,
    /// Task to try.
    #[arg(long, value_name = "task", value_parser = values::task())]
    task: Option<&'static dyn Task>,
    /// Variant to try.
    #[arg(long, value_name = "variant", requires = "task")]
    variant: Option<String>,
    /// Device to run on.
    #[arg(long, value_name = "device", value_parser = values::device)]
    device: Option<Device>,
    /// Thread counts to try.
    #[arg(long, value_name = "threads", value_delimiter = ',')]
    threads: Vec<usize>,
}

impl TrialFlags {
    /// Converts the flags to a request.
    pub fn request(self) -> TrialRequest {
        let variant = self.task.zip(self.variant).map(|(task, variant)| VariantTrial {
            device: self.device.unwrap_or(Device::Cpu),
            threads: self.threads,
            task,
            variant,
        });
        TrialRequest { plugin: self.plugin, variant }
    }
}
