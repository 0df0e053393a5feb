//! A prepared timeslice with everything that a worker runs on it, and files with its hits
//! (`docs/stream.md` describes the format).

use std::io::{self, Write};
use std::path::Path;

use algorithms_sts::sts::task::{STS, StsTask, Timeslices};
use algorithms_sts::sts::{Hit, Partitioned, Product, digest_of, segment_sums_of};
use algorithms_sts::sts_events::{EventRules, EventStage, event_sums, events_digest};
use tasks::algorithm::{Digest, Segments, Session, Variant, VariantContext as At};
use tasks::device::{Arena, Target};

use super::protocol::{End, EventCounts, Expected, ResultDigest, unable, wrong};
use crate::platform::clock::now_ns;

/// The chain, ready on a timeslice, and event building after it.
pub(super) struct Job<'a> {
    digis: usize,
    chain: Box<dyn Session<StsTask> + 'a>,
    events: Option<EventStage<'a>>,
}

/// Duration of a run.
pub(super) struct JobResult {
    pub(super) begun_ns: u64,
    pub(super) ended_ns: u64,
    /// Counts of built events, if events are built.
    pub(super) built: Option<EventCounts>,
}

impl<'a> Job<'a> {
    /// Prepares a variant on one timeslice, and event building if there are rules.
    pub(super) fn open(
        variant: &Variant<StsTask>,
        input: &'a Timeslices,
        rules: Option<EventRules>,
        arena: &'a Arena,
        target: &Target<'_>,
    ) -> Result<Self, End> {
        let at = At { task: &STS, variant: *variant, input, answers: None, arena, target };
        let chain = (variant.prepare)(&at).map_err(unable)?;
        let threads = target.team.threads();
        let stage = |rules| EventStage::new(&input.0[0], rules, arena, threads);
        let events = rules.map(stage).transpose().map_err(unable)?;
        Ok(Job { digis: input.0[0].stream().len(), chain, events })
    }

    /// Number of digis of the timeslice.
    pub(super) fn digis(&self) -> usize {
        self.digis
    }

    /// Processes the timeslice: clusters and hits, then events.
    pub(super) fn process(&mut self) -> Result<JobResult, End> {
        let begun_ns = now_ns();
        self.chain.reset()?;
        self.chain.run()?;
        let chain_ns = now_ns();
        let Some(stage) = &mut self.events else {
            return Ok(JobResult { begun_ns, ended_ns: chain_ns, built: None });
        };
        stage.run();
        let ended_ns = now_ns();
        let events = stage.events();
        // Indices of digis have 32 bits, which was checked when the stage was opened.
        let count = events.events.len() as u32;
        let digis = events.digis_kept() as u32;
        let built = EventCounts { events: count, digis, took_ns: ended_ns - chain_ns };
        Ok(JobResult { begun_ns, ended_ns, built: Some(built) })
    }

    /// Sums of all segments of the last result, computed from a copy of its output.
    pub(super) fn sums(&mut self) -> Result<Expected, End> {
        let events = self.events.as_ref().map(|stage| event_sums(stage.events()));
        Ok(Expected { chain: segment_sums_of(&self.output()?), events })
    }

    /// Digest of the last result, computed in place if the variant supports that.
    pub(super) fn digest(&mut self, segments: Segments) -> Result<ResultDigest, End> {
        let chain = match self.digest_in_place(segments)? {
            Some(digest) => digest,
            None => digest_of(&self.output()?, segments),
        };
        let events = self.events.as_ref().map(|stage| events_digest(stage.events(), segments));
        Ok(ResultDigest::new(chain, events))
    }

    /// Digest of the chain's last result; `None` if its output has to be copied for that.
    pub(super) fn digest_in_place(&mut self, segments: Segments) -> Result<Option<Digest>, End> {
        self.chain.digest(segments).map_err(wrong)
    }

    /// Copy of the output of the chain's last run.
    pub(super) fn output(&mut self) -> Result<Vec<Product>, End> {
        self.chain.inspect().map_err(wrong)?;
        let output = self.chain.output().ok_or_else(|| wrong("there was no output"))?;
        Ok(output.into_owned())
    }

    /// Releases its buffers for reuse.
    pub(super) fn release(&mut self) {
        self.chain.release();
        self.events.iter_mut().for_each(EventStage::release);
    }
}

const MAGIC: [u8; 8] = *b"STSHITS1";

/// Writes the hits of a chain in their memory layout, module by module.
///
/// # Errors
/// If the file can't be written, or the hits are not those of the online reconstruction.
pub(super) fn write_hits(path: &Path, products: &[Product]) -> io::Result<()> {
    let hits = products.iter().map(hits).collect::<Option<Vec<_>>>();
    let hits = hits.ok_or_else(|| io::Error::other("these hits have another format"))?;
    files::write_by(path, |file| {
        file.write_all(&MAGIC)?;
        hits.iter().try_for_each(|hits| write_module_by_module(file, hits))
    })
}

fn write_module_by_module(file: &mut dyn Write, hits: &Partitioned<Hit>) -> io::Result<()> {
    file.write_all(&(hits.segments() as u64).to_le_bytes())?;
    for length in hits.partition().lengths() {
        file.write_all(&(length as u64).to_le_bytes())?;
    }
    file.write_all(bytemuck::cast_slice(hits.items()))
}

fn hits(product: &Product) -> Option<&Partitioned<Hit>> {
    match product {
        Product::Both(_, found) => hits(found),
        Product::Hits(hits) | Product::Streams(hits) => Some(hits),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn hits_are_written_module_by_module() {
        let hit = |time| Hit { time, ..Hit::default() };
        let found = Partitioned::of_modules(&[vec![hit(1), hit(2)], vec![], vec![hit(3)]]);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("0.hits.bin");
        write_hits(&path, &[Product::Hits(found.clone())]).expect("written");
        let bytes = fs::read(&path).expect("there");
        assert_eq!(bytes.len(), 8 + 8 + 3 * 8 + 3 * 48);
        let (numbers, hits) = bytes[8..].split_at(4 * 8);
        let numbers: Vec<u64> =
            numbers.as_chunks().0.iter().map(|it| u64::from_le_bytes(*it)).collect();
        assert_eq!(numbers, [3, 2, 0, 1]);
        let hits: Vec<Hit> = bytemuck::pod_collect_to_vec(hits);
        assert_eq!(hits, found.items());
        assert!(write_hits(&path, &[Product::Nothing]).is_err());
    }
}
