use algorithms_lhcb::task::{Stage, VeloInput, VeloTask};
use generators_lhcb::Geometry;
use std::sync::Arc;
use std::time::Instant;
use tasks::algorithm::{Algorithm, VariantContext};
use tasks::device::{Arena, Target, Team};
fn main() {
    for file in ["minbias-sp.cases.gz", "minbias-retina.cases.gz"] {
        let events = generators_lhcb::io::cases::read(
            &std::path::Path::new("/work/shared/lhcb/fixtures").join(file),
        )
        .unwrap();
        let input = VeloInput::new(events, Arc::new(Geometry::nominal().clone()), 10);
        let task = VeloTask { stage: Stage::Chain };
        for variant in task.variants() {
            let team = Team::new(1).unwrap();
            let target = Target::host(&team);
            let arena = Arena::default();
            let mut s = (variant.prepare)(&VariantContext {
                task: &task,
                variant,
                input: &input,
                answers: None,
                arena: &arena,
                target: &target,
            })
            .unwrap();
            s.reset().unwrap();
            let mut times = vec![];
            let mut stages = std::collections::BTreeMap::<String, Vec<f64>>::new();
            team.run(|| {
                for _ in 0..300 {
                    let t = Instant::now();
                    s.run().unwrap();
                    times.push(t.elapsed().as_secs_f64() * 1e5);
                    for st in s.stages().unwrap() {
                        stages.entry(st.name.to_string()).or_default().push(st.seconds * 1e5);
                    }
                }
            });
            times.sort_by(f64::total_cmp);
            print!(
                "{file} {}: q10 {:.1} median {:.1} us/event",
                variant.name, times[30], times[150]
            );
            for (k, mut v) in stages {
                v.sort_by(f64::total_cmp);
                print!("  {k} {:.1}", v[30]);
            }
            println!();
        }
    }
}
