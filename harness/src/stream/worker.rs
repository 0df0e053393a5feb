//! A worker: a process that gets the variant ready on all prepared timeslices, and then processes
//! those that it is told to, one after the other.

use algorithms::algorithm::{Opening as At, Session, Variant};
use algorithms::device::gpu::DeviceError;
use algorithms::device::{Arena, Device, Target};
use algorithms::sts::task::{STS, StsTask, Timeslices};
use algorithms::sts::{Digest, Product};
use text::Foreign;

use super::protocol::{Answer, Ask, Found, Opening};
use super::variants::variant_of;
use super::{hits_file, ring};
use crate::plan::{TeamLayout, TeamSpec};
use crate::platform::Exit;
use crate::platform::monotonic::now_ns;
use crate::platform::placement::Placement;
use crate::platform::shared_memory::Inherited;
use crate::platform::worker::{Unheard, hear, say};
use crate::throughput::StreamGpus;

/// The subcommand that makes a process a worker.
pub(crate) const SUBCOMMAND: &str = "stream-worker";

/// Before a worker says that it is ready, each timeslice is processed so often: the first time
/// takes memory, the second tells what it takes.
const FIRST_RUNS: usize = 2;

/// Why a worker ends before it is told to.
enum End {
    /// Nobody listens any more.
    Alone,
    /// It can't do what it is asked for.
    Refused { problem: String, is_wrong: bool },
}

/// Works for a stream until that has nothing more to say, on the timeslices in the memory that
/// has this number.
pub(crate) fn work(memory: i32) -> Exit {
    match serve(memory) {
        Ok(()) | Err(End::Alone) => Exit::Success,
        Err(End::Refused { problem, is_wrong }) => {
            let code = if is_wrong { Exit::WrongOutput } else { Exit::Failed };
            // Who does not listen sees that it ends.
            let _ = say(&Answer::Refused { problem, is_wrong });
            code
        }
    }
}

fn serve(memory: i32) -> Result<(), End> {
    let Some(Ask::Open(opening)) = hear()? else {
        return Err(unable("a stream starts this, and says what to do"));
    };
    if memory <= libc::STDERR_FILENO {
        return Err(unable(format!("--memory {memory} is a standard stream")));
    }
    // SAFETY: nothing was opened here before but the standard streams.
    let memory = unsafe { Inherited::of(memory) };
    let memory = memory.map_err(|error| unable(format!("no shared memory: {error}")))?;
    let inputs = ring::timeslices(memory).map_err(unable)?;
    let inputs: Vec<Timeslices> = inputs.into_iter().map(|it| Timeslices(vec![it])).collect();
    let device: Device = opening.device.parse().map_err(unable)?;
    let variant = variant_of(device.backend(), &opening.variant).map_err(unable)?;
    let team = team(&opening).start().map_err(unable)?;
    let gpu = StreamGpus::default().of(device, 0).map_err(unable)?;
    let target = Target { device, gpu, team: &team };
    let arena = Arena::default();
    team.run(|| {
        let open = |input| open(&variant, input, &arena, &target);
        let mut sessions = inputs.iter().map(open).collect::<Result<Vec<_>, _>>()?;
        say(&ready(&mut sessions)?)?;
        while let Some(ask) = hear()? {
            let Ask::Process { number, data, check, hits } = ask else {
                return Err(unable("it is open already"));
            };
            let session = sessions.get_mut(data);
            let session = session.ok_or_else(|| unable(format!("there is no timeslice {data}")))?;
            let (begun_ns, ended_ns) = process(session.as_mut())?;
            let found = check.then(|| found(session.as_mut())).transpose()?;
            if let Some(path) = hits {
                let written = hits_file::write(&path, &output(session.as_mut())?);
                written.map_err(|error| unable(format!("{}: {error}", path.shown())))?;
            }
            session.release();
            say(&Answer::Done { number, begun_ns, ended_ns, found })?;
        }
        Ok(())
    })
}

fn team(opening: &Opening) -> TeamSpec {
    let layout = TeamLayout { threads: opening.threads, placement: Placement::None, inner: None };
    TeamSpec { layout, cpus: opening.cpus.clone() }
}

/// The variant, ready on a timeslice.
fn open<'a>(
    variant: &Variant<StsTask>,
    input: &'a Timeslices,
    arena: &'a Arena,
    target: &Target<'_>,
) -> Result<Box<dyn Session<StsTask> + 'a>, End> {
    let at = At { task: &STS, variant: *variant, input, arena, target };
    (variant.open)(&at).map_err(unable)
}

/// Processes each timeslice, for it to be checked, and for the time that it takes.
fn ready(sessions: &mut [Box<dyn Session<StsTask> + '_>]) -> Result<Answer, End> {
    let (mut all, mut took_ns) = (Vec::new(), Vec::new());
    for session in sessions {
        let mut took = 0;
        for _ in 0..FIRST_RUNS {
            let (begun, ended) = process(session.as_mut())?;
            took = ended - begun;
        }
        all.push(found(session.as_mut())?);
        took_ns.push(took);
        session.release();
    }
    Ok(Answer::Ready { found: all, took_ns })
}

/// Processes a timeslice; returns when it was begun and when its result was there.
fn process(session: &mut (dyn Session<StsTask> + '_)) -> Result<(u64, u64), End> {
    let begun = now_ns();
    session.reset()?;
    session.run()?;
    Ok((begun, now_ns()))
}

/// What the last run has found, in short.
fn found(session: &mut (dyn Session<StsTask> + '_)) -> Result<Found, End> {
    Ok(Digest::of(&output(session)?).into())
}

/// What the last run has found.
fn output(session: &mut (dyn Session<StsTask> + '_)) -> Result<Vec<Product>, End> {
    let is_wrong = true;
    let damage = |problem: String| End::Refused { problem, is_wrong };
    session.inspect().map_err(|error| damage(error.to_string()))?;
    let output = session.output().ok_or_else(|| damage("there was no output".to_owned()))?;
    Ok(output.into_owned())
}

fn unable(problem: impl ToString) -> End {
    End::Refused { problem: problem.to_string(), is_wrong: false }
}

impl From<Unheard> for End {
    fn from(unheard: Unheard) -> Self {
        match unheard {
            Unheard::Alone => End::Alone,
            Unheard::NotUnderstood(problem) => unable(problem),
        }
    }
}

impl From<DeviceError> for End {
    fn from(error: DeviceError) -> Self {
        let is_wrong = matches!(error, DeviceError::Kernel { .. } | DeviceError::Plugin { .. });
        End::Refused { problem: error.to_string(), is_wrong }
    }
}

#[cfg(test)]
mod tests {
    use algorithms::axis::Params;
    use algorithms::device::{Backend, Team, emulator};

    use super::super::data::{Data, Variety};
    use super::*;
    use crate::platform::shared_memory::SharedMemory;

    /// What a worker finds in shared memory, by a variant on a device.
    fn found_by(device: Device, variant: &str, memory: SharedMemory) -> Vec<Found> {
        let inputs = ring::timeslices(memory.into_inherited()).expect("timeslices");
        let inputs: Vec<_> = inputs.into_iter().map(|it| Timeslices(vec![it])).collect();
        let variant = variant_of(device.backend(), variant).expect("known");
        let team = Team::new(1).expect("a thread");
        let gpu = StreamGpus::default().of(device, 0).expect("usable");
        let target = Target { device, gpu, team: &team };
        let arena = Arena::default();
        team.run(|| {
            let open = |input| open(&variant, input, &arena, &target);
            let sessions = inputs.iter().map(open).collect::<Result<Vec<_>, _>>();
            match sessions.and_then(|mut sessions| ready(&mut sessions)) {
                Ok(Answer::Ready { found, .. }) => found,
                _ => panic!("not ready"),
            }
        })
    }

    #[test]
    fn workers_find_in_shared_memory_what_the_reference_finds() {
        for from in ["digis", "raw"] {
            let given = [("preset", "mcbm-2024"), ("scale", "0.0001"), ("from", from)];
            let params: Params = given.into_iter().collect();
            let params = algorithms::algorithm::Algorithm::plan(&STS, params).expect("sensible");
            let variety = Variety { ring: 2, jitter: 0.0, has_pauses: true, seed: 1 };
            let data = Data::simulated(&params.params, &variety).expect("made");
            let expected = data.expected(Default::default());
            let has_emulator = emulator::unavailable().is_none();
            for (device, variant) in [(Device::Cpu, "time-sweep"), (Device::Emulator, "balanced")] {
                if device.backend() == Backend::Cpu || has_emulator {
                    let memory = ring::share(&data.each()).expect("memory");
                    let found = found_by(device, variant, memory);
                    assert_eq!(found, expected, "{from} {device}");
                }
            }
        }
    }
}
