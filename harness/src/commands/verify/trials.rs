//! Variants of plugins, tried in processes of their own before they are checked in
//! this one.

use algorithms::device::Device;
use algorithms::plugin::Quarantine;

use super::Subject;
use crate::failure::Failure;
use crate::plugins::trial;

/// Results of plugin trials.
#[derive(Default)]
pub(super) struct Trials(Vec<(trial::PluginVariant, Option<Quarantine>)>);

impl Trials {
    /// Returns the misbehaviour of a plugin's variant. Wrong output is not included: it is checked
    /// in this process, which can find a smaller input.
    pub(super) fn problem(&mut self, subject: &Subject<'_>) -> Result<Option<String>, Failure> {
        let info = &subject.info;
        let exec = subject.exec;
        let Some(plugin) = info.plugin.filter(|_| exec.device != Device::Emulator) else {
            return Ok(None);
        };
        let wanted = trial::PluginVariant {
            plugin,
            task: subject.task.name(),
            variant: info.name,
            device: exec.device,
            threads: vec![exec.threads()],
        };
        // A variant that crashed with one thread count is not tried with others.
        let same = |(tried, found): &&(trial::PluginVariant, Option<Quarantine>)| {
            let crashed = matches!(found, Some(Quarantine::Failed(_)));
            (tried.plugin, tried.variant, tried.device)
                == (wanted.plugin, wanted.variant, wanted.device)
                && (crashed || tried.threads == wanted.threads)
        };
        let known = self.0.iter().find(same).map(|(_, found)| found.clone());
        let found = match known {
            Some(found) => found,
            None => {
                let found = trial::run(&wanted)?;
                self.0.push((wanted, found.clone()));
                found
            }
        };
        Ok(match found {
            Some(Quarantine::Failed(problem)) => Some(format!("failed: {} {problem}", plugin.file)),
            _ => None,
        })
    }
}
