//! Summary of a verification.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use portable_gpu::emulator::Lanes;
use reports::program;
use reports::units;
use tasks::device::Device;
use text::Untrusted;

use super::super::print;
use super::inputs::ReducedInput;
use super::task_check::TaskFault;
use crate::failure::{Exit, Failure};
use crate::request::VerifyRequest;

/// Counts and errors.
#[derive(Default)]
pub(super) struct VerifySummary {
    pub(super) checks: usize,
    /// Tasks and names of the variants that were checked.
    pub(super) variants: BTreeSet<(&'static str, &'static str)>,
    pub(super) skipped: usize,
    pub(super) mismatches: Vec<Mismatch>,
    /// Tasks that are wrong themselves.
    pub(super) faults: Vec<(&'static str, TaskFault)>,
}

/// A variant that was wrong.
pub(super) struct Mismatch {
    pub(super) task: &'static str,
    pub(super) variant: &'static str,
    pub(super) device: Device,
    /// Configuration and input of the check.
    pub(super) context: String,
    pub(super) problem: String,
    /// A smaller input, if one was found that shows it as a file, too.
    pub(super) kept: Option<ReducedInput>,
}

impl VerifySummary {
    pub(super) fn report(&self, request: &VerifyRequest) -> Result<Exit, Failure> {
        for mismatch in &self.mismatches {
            print(&mismatch.text(request))?;
        }
        for (task, count) in self.tasks_without_right_variant() {
            print(&format!(
                "{task}: all {count} variants are wrong: look for the error in the reference first\n"
            ))?;
        }
        for (task, fault) in &self.faults {
            print(&format!("{task}: {fault}\n"))?;
        }
        if self.checks == 0 && self.faults.is_empty() {
            let problem =
                "nothing was verified: no variant runs there on such inputs; see `bench list`";
            return Err(Failure::NothingMeasured(problem.to_owned()));
        }
        let wrong = self.mismatches.len();
        if self.checks > 0 && (!request.quiet || wrong > 0) {
            print(&format!(
                "{}, {}: {} right, {wrong} wrong, {} not run\n",
                units::counted(self.variants.len(), "variant"),
                units::counted(self.checks, "check"),
                self.checks - wrong,
                self.skipped
            ))?;
        }
        let is_right = wrong == 0 && self.faults.is_empty();
        Ok(if is_right { Exit::Success } else { Exit::WrongOutput })
    }

    /// Tasks of which several variants were checked and all are wrong, with their number.
    fn tasks_without_right_variant(&self) -> Vec<(&'static str, usize)> {
        let wrong = self.mismatches.iter().map(|mismatch| (mismatch.task, mismatch.variant));
        let wrong: BTreeSet<_> = wrong.collect();
        let mut counts: BTreeMap<&'static str, [usize; 2]> = BTreeMap::new();
        for variant in &self.variants {
            let [all, of_wrong] = counts.entry(variant.0).or_default();
            *all += 1;
            *of_wrong += usize::from(wrong.contains(variant));
        }
        let none_right = |(_, [all, wrong]): &(_, [usize; 2])| *all > 1 && all == wrong;
        counts.into_iter().filter(none_right).map(|(task, [all, _])| (task, all)).collect()
    }
}

impl Mismatch {
    fn text(&self, request: &VerifyRequest) -> String {
        let task = self.task;
        let variant = self.variant;
        let context = &self.context;
        let mut text = format!("{task} {variant}, {context}: {}\n", self.problem);
        if let Some(ReducedInput { path, items }) = &self.kept {
            let path = path.escaped();
            text.push_str(&format!("  smallest input found: {items} items in {path}\n"));
        }
        let command = self.command(request, self.kept.as_ref().map(|kept| kept.path.as_path()));
        text.push_str(&format!("  again: {command}\n"));
        text
    }

    /// The command that shows it again.
    fn command(&self, request: &VerifyRequest, input: Option<&Path>) -> String {
        let mut words = vec![format!("{} verify {}", program::name(), self.task)];
        let plugins = request.plugins.iter();
        words.extend(plugins.map(|path| format!("--plugin {}", path.escaped())));
        words.push(format!("--variant {} --device {}", self.variant, self.device));
        if self.device == Device::Emulator {
            words.push(format!("--schedules {}", request.schedules));
            words.extend((request.lanes == Lanes::L64).then(|| "--lanes 64".to_owned()));
            words.extend(request.races.then(|| "--races".to_owned()));
        }
        words.extend(request.checked.then(|| "--checked".to_owned()));
        match input {
            Some(path) => {
                words.push(format!("--input {}", path.escaped()));
                words.extend(request.options.0.flags());
            }
            None => words.push(format!("--seed {} --seeds {}", request.seed, request.seeds)),
        }
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::FileOptions;

    fn request(races: bool) -> VerifyRequest {
        VerifyRequest {
            tasks: Vec::new(),
            variants: Vec::new(),
            plugins: Vec::new(),
            devices: Vec::new(),
            seeds: 2,
            seed: 4,
            max_items: None,
            input: None,
            options: FileOptions::default(),
            lanes: Lanes::L64,
            schedules: 8,
            races,
            checked: false,
            quiet: true,
        }
    }

    fn mismatch(device: Device) -> Mismatch {
        Mismatch {
            task: "sort",
            variant: "block-merge",
            device,
            context: "emulator, seed 4".to_owned(),
            problem: "segment 0, position 1: not right".to_owned(),
            kept: None,
        }
    }

    #[test]
    fn the_command_repeats_what_was_done() {
        let said = mismatch(Device::Emulator).text(&request(true));
        let expected = "sort block-merge, emulator, seed 4: segment 0, position 1: not right\n  \
            again: bench verify sort --variant block-merge --device emulator --schedules 8 \
            --lanes 64 --races --seed 4 --seeds 2\n";
        assert_eq!(said, expected);
    }

    #[test]
    fn what_only_the_emulator_has_is_left_out_elsewhere() {
        let command = mismatch(Device::Cuda(1)).command(&request(true), Some(Path::new("a.bin")));
        let expected = "bench verify sort --variant block-merge --device cuda:1 --input a.bin";
        assert_eq!(command, expected);
    }

    #[test]
    fn a_wrong_output_has_its_exit_code_and_nothing_checked_is_no_success() {
        let wrong = VerifySummary {
            checks: 2,
            mismatches: vec![mismatch(Device::Emulator)],
            ..VerifySummary::default()
        };
        let exit = wrong.report(&request(false)).expect("printed");
        assert_eq!(exit, Exit::WrongOutput);
        let nothing = VerifySummary::default().report(&request(false));
        assert_eq!(nothing.expect_err("nothing").exit(), Exit::NothingMeasured);
    }
}
