//! Variants of plugins, tried in processes of their own before they are checked in
//! this one.

use algorithms::device::Device;
use algorithms::plugin::Condemnation;

use super::Subject;
use crate::failure::Failure;
use crate::plugins::trial;

/// What came of those that were tried.
#[derive(Default)]
pub(super) struct Trials(Vec<(trial::Subject, Option<Condemnation>)>);

impl Trials {
    /// What a variant of a plugin did that it must not do. A wrong output is none of
    /// that: it is better looked at here, where a smaller input can be found.
    pub(super) fn problem(&mut self, subject: &Subject<'_>) -> Result<Option<String>, Failure> {
        let (info, way) = (&subject.info, subject.way);
        let Some(plugin) = info.plugin.filter(|_| way.device != Device::Emulator) else {
            return Ok(None);
        };
        let wanted = trial::Subject {
            plugin,
            task: subject.task.name(),
            variant: info.name,
            device: way.device,
            threads: vec![way.threads()],
        };
        // Whoever has crashed with some threads is not tried with others.
        let same = |(tried, found): &&(trial::Subject, Option<Condemnation>)| {
            let crashed = matches!(found, Some(Condemnation::Failed(_)));
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
            Some(Condemnation::Failed(problem)) => {
                Some(format!("failed: {} {problem}", plugin.file))
            }
            _ => None,
        })
    }
}
