//! Topology and CPU sets of other machines: fake sysfs trees.

use std::fs;
use std::path::Path;

use crate::common::{Folder, folder, measuring};
use harness::plan::TeamLayout;
use harness::platform::placement::{Bind, CpuSetSpec, Placement};
use harness::platform::{Topology, usable_cpus};
use reports::record::{Point, SummaryRow};

/// A machine below a temporary folder.
struct FakeMachine {
    root: Folder,
    cpus: Vec<Cpu>,
}

struct Cpu {
    number: usize,
    package: usize,
    /// Numbers the cores of the machine.
    core: usize,
    /// Numbers the last-level caches; `None` without one.
    l3: Option<usize>,
    node: usize,
}

impl FakeMachine {
    /// Creates a machine with `count` CPUs.
    fn new(count: usize, cpu: impl Fn(usize) -> Cpu) -> Self {
        let machine = FakeMachine { root: folder(), cpus: (0..count).map(cpu).collect() };
        for cpu in &machine.cpus {
            machine.write_cpu(cpu);
            let cpus = machine.list(|other| other.node == cpu.node);
            machine.write(&format!("node/node{}/cpulist", cpu.node), &cpus);
        }
        machine.set_online(&machine.all());
        machine
    }

    fn write(&self, file: &str, content: &str) {
        let path = self.root.path().join("devices/system").join(file);
        fs::create_dir_all(path.parent().expect("has a parent")).expect("made");
        fs::write(path, format!("{content}\n")).expect("written");
    }

    fn list(&self, shares: impl Fn(&Cpu) -> bool) -> String {
        let numbers = self.cpus.iter().filter(|cpu| shares(cpu));
        let numbers: Vec<_> = numbers.map(|cpu| cpu.number.to_string()).collect();
        numbers.join(",")
    }

    fn write_cpu(&self, cpu: &Cpu) {
        let write = |file: &str, content: &str| {
            self.write(&format!("cpu/cpu{}/{file}", cpu.number), content);
        };
        let siblings = &self.list(|other| other.core == cpu.core);
        let neighbours = &self.list(|other| other.l3 == cpu.l3);
        write("topology/physical_package_id", &cpu.package.to_string());
        write("topology/thread_siblings_list", siblings);
        let caches = [
            (1, "Data", "32K", siblings),
            (1, "Instruction", "32K", siblings),
            (2, "Unified", "1024K", siblings),
            (3, "Unified", "32768K", neighbours),
        ];
        let count = if cpu.l3.is_some() { 4 } else { 3 };
        for (index, (level, kind, size, shared)) in caches[..count].iter().enumerate() {
            write(&format!("cache/index{index}/level"), &level.to_string());
            write(&format!("cache/index{index}/type"), kind);
            write(&format!("cache/index{index}/size"), size);
            write(&format!("cache/index{index}/shared_cpu_list"), shared);
        }
    }

    fn set_online(&self, cpus: &[usize]) {
        let list: Vec<_> = cpus.iter().map(ToString::to_string).collect();
        self.write("cpu/online", &list.join(","));
    }

    fn topology(&self) -> Topology {
        Topology::read(self.root.path())
    }

    fn all(&self) -> Vec<usize> {
        self.cpus.iter().map(|cpu| cpu.number).collect()
    }

    fn cpu_sets(&self, spec: &str, mask: &[usize]) -> Result<Vec<Vec<usize>>, String> {
        let spec: CpuSetSpec = spec.parse().expect("well formed");
        let cpu_sets = spec.resolve(&self.topology(), mask);
        cpu_sets.map_err(|error| error.to_string())
    }

    /// The CPUs of each thread.
    fn threads(&self, threads: usize, spec: &str, bind: Bind) -> Vec<Vec<usize>> {
        let spec: CpuSetSpec = spec.parse().expect("well formed");
        let placement = Placement::new(Some(&spec), Some(bind));
        let cpus = placement.cpus(threads, &self.topology(), &self.all());
        cpus.expect("there is room").expect("placed")
    }
}

/// Two sockets with two cores each, two threads a core: siblings are 4 apart,
/// as Linux numbers them.
fn two_sockets() -> FakeMachine {
    FakeMachine::new(8, |number| Cpu {
        number,
        package: number % 4 / 2,
        core: number % 4,
        l3: Some(number % 4 / 2),
        node: number % 4 / 2,
    })
}

/// A socket of 16 cores with four last-level caches.
fn four_caches() -> FakeMachine {
    FakeMachine::new(16, |number| Cpu {
        number,
        package: 0,
        core: number,
        l3: Some(number / 4),
        node: 0,
    })
}

/// Two cores with two threads each, and four small ones with one and no share
/// in the last-level cache.
fn hybrid() -> FakeMachine {
    FakeMachine::new(8, |number| Cpu {
        number,
        package: 0,
        core: if number < 4 { number / 2 } else { number },
        l3: (number < 4).then_some(0),
        node: 0,
    })
}

#[test]
fn packages_cores_nodes_and_caches_are_counted() {
    let machine = two_sockets();
    let found = machine.topology();
    let counts = (found.packages(), found.cores(), found.nodes());
    assert_eq!((found.cpus.len(), counts), (8, (2, 4, 2)));
    assert_eq!(found.last_level_bytes(), 64 << 20);
    let levels = found.cache_levels();
    let levels: Vec<_> = levels.iter().map(|it| (it.level, it.count)).collect();
    let expected = [(1, 4), (2, 4), (3, 2)];
    assert_eq!(levels, expected, "instruction caches don't count");
    machine.set_online(&[0, 2]);
    let online = machine.topology().cpus;
    let online: Vec<_> = online.iter().map(|cpu| cpu.number).collect();
    assert_eq!(online, [0, 2]);
}

#[test]
fn without_sysfs_there_is_one_package() {
    let topology = Topology::read(Path::new("/no/such/folder"));
    assert!(!topology.cpus.is_empty());
    assert_eq!((topology.packages(), topology.last_level_bytes()), (1, 0));
}

#[test]
fn two_sockets_with_two_threads_a_core() {
    let machine = two_sockets();
    let all = machine.all();
    let sockets = vec![vec![0, 1, 4, 5], vec![2, 3, 6, 7]];
    assert_eq!(machine.cpu_sets("sockets", &all), Ok(sockets));
    let cores = vec![vec![0, 4], vec![1, 5], vec![2, 6], vec![3, 7]];
    assert_eq!(machine.cpu_sets("cores", &all), Ok(cores));
    assert_eq!(machine.cpu_sets("numa_domains", &all).expect("two").len(), 2);
    let threads = machine.cpu_sets("threads", &all).expect("eight").concat();
    assert_eq!(threads, [0, 4, 1, 5, 2, 6, 3, 7], "siblings are neighbours");
}

#[test]
fn threads_go_to_places_by_their_numbers() {
    let machine = two_sockets();
    let close = machine.threads(2, "cores", Bind::Close);
    assert_eq!(close, [[0, 4], [1, 5]]);
    let spread = machine.threads(2, "cores", Bind::Spread);
    assert_eq!(spread, [[0, 4], [2, 6]], "one in each socket");
    let crowd = machine.threads(5, "sockets", Bind::Close);
    assert_eq!(crowd.iter().filter(|cpus| cpus.contains(&0)).count(), 3);
    let primary = machine.threads(3, "sockets", Bind::Primary);
    assert!(primary.iter().all(|cpus| cpus.contains(&0)));
}

#[test]
fn four_caches_in_a_socket() {
    let machine = four_caches();
    let cpu_sets = machine.cpu_sets("ll_caches", &machine.all()).expect("four");
    assert_eq!(cpu_sets.len(), 4);
    assert_eq!(cpu_sets[1], [4, 5, 6, 7]);
    let two = machine.cpu_sets("ll_caches(2)", &machine.all()).expect("two");
    assert_eq!(two, cpu_sets[..2]);
    let five = machine.cpu_sets("ll_caches(5)", &machine.all());
    let error = five.expect_err("four");
    assert!(error.contains("there are 4 ll_caches"), "{error}");
}

#[test]
fn cores_of_unlike_kinds() {
    let machine = hybrid();
    let cores = machine.cpu_sets("cores", &machine.all()).expect("six");
    assert_eq!(format!("{cores:?}"), "[[0, 1], [2, 3], [4], [5], [6], [7]]");
    let caches = machine.cpu_sets("ll_caches", &machine.all()).expect("some");
    assert_eq!(caches[0], [0, 1, 2, 3]);
    assert_eq!(caches.concat().len(), 8, "no CPU is left out");
}

#[test]
fn cpus_that_are_offline_are_in_no_set() {
    let machine = two_sockets();
    machine.set_online(&[0, 1, 2, 4, 5, 6]);
    let mask = [0, 1, 2, 4, 5, 6];
    let sockets = machine.cpu_sets("sockets", &mask).expect("two");
    assert_eq!(sockets, [vec![0, 1, 4, 5], vec![2, 6]]);
    let error = machine.cpu_sets("{0},{3}", &mask).expect_err("3 is offline");
    assert!(error.contains("may not use CPU 3, but 0-2,4-6"), "{error}");
}

#[test]
fn a_mask_limits_the_cpu_sets() {
    let machine = four_caches();
    let mask = [2, 3, 4, 5];
    let caches = machine.cpu_sets("ll_caches", &mask).expect("two");
    assert_eq!(caches, [[2, 3], [4, 5]]);
    assert_eq!(machine.cpu_sets("cores", &mask).expect("four").len(), 4);
    // 0 and 1 are outside.
    assert!(machine.cpu_sets("{0:4}", &mask).is_err());
}

#[test]
fn binding_really_pins_here() {
    let Some(folder) = measuring() else { return };
    let threads = usable_cpus().len();
    let rows = folder.measure(format!(
        "sort --segments 24 --digis 20k --variant std-stable --threads {threads} --places threads \
         --bind close --samples 8 --max-time 5s --no-charts"
    ));
    let row = &rows[0];
    assert_eq!((&row.cpu_sets[..], &row.bind[..]), ("threads", "close"));
    let placement = Placement::new(Some(&"threads".parse().expect("known")), Some(Bind::Close));
    let cpus = placement.cpus(threads, &Topology::this_machine(), &usable_cpus());
    let expected = cpus.expect("there is room").expect("placed");
    let names: Vec<_> = expected.iter().map(|cpus| cpus[0].to_string()).collect();
    for sample in folder.samples("r") {
        assert_eq!(sample.cpu, names.join("+"), "each worker on its own CPU");
        assert!(!sample.flags.contains("outside-place"));
    }
}

#[test]
fn one_flag_repeated_is_an_axis() {
    let Some(folder) = measuring() else { return };
    let line = "sort --segments 24 --digis 5k --variant std-stable --threads 1 --places cores \
                --bind false --bind close --bind spread --samples 6 --no-charts";
    let rows = folder.measure(line);
    let mut binds: Vec<_> = rows.iter().map(|row| row.bind.as_str()).collect();
    binds.sort_unstable();
    assert_eq!(binds, ["close", "false", "spread"]);
    assert!(rows.iter().all(|row| row.peak_fraction.is_some()));
}

/// Decoding of a little, and the rows of its total times.
fn decoded(folder: &Folder, how: &str) -> Vec<SummaryRow> {
    let line = format!(
        "decode --zs row12 --sectors 3 --orbits 1 --occupancy 0.01 {how} --samples 6 --no-charts"
    );
    folder.measure(line)
}

#[test]
fn nested_teams_are_placed_at_both_levels() {
    let Some(folder) = measuring() else { return };
    let rows = decoded(&folder, "--threads 1x2 --bind spread+primary --places threads");
    let bind = |variant: &str| {
        let row = rows.iter().find(|row| row.variant == variant && row.stage == "total");
        let row = row.expect(variant);
        (row.threads, row.bind.clone())
    };
    assert_eq!(bind("scalar"), (2, "spread+primary(2)".to_owned()));
    assert_eq!(bind("reference"), (2, "spread".to_owned()), "it has one level");
    let notes = folder.record("r").notes;
    let said = notes.iter().find(|note| note.starts_with("one level of teams"));
    let said = said.expect("a note");
    assert!(said.contains("reference") && !said.contains("scalar"), "{said}");
    let first = usable_cpus()[0].to_string();
    for sample in folder.samples("r").iter().filter(|sample| sample.variant == "scalar") {
        assert_eq!(sample.cpu, format!("{first}+{first}"), "both where the outer thread is");
        assert!(!sample.flags.contains("outside-place"));
    }
}

#[test]
fn inner_teams_stay_on_the_socket_of_their_outer_thread() {
    let machine = two_sockets();
    let cpus = |threads: usize, cpu_sets: &str, bind: &str| {
        let cpu_sets = cpu_sets.to_owned();
        let bind = bind.to_owned();
        let point = Point { threads, cpu_sets, bind, ..Point::default() };
        let layout = TeamLayout::from_point(&point).expect("well formed");
        layout.cpus(&machine.topology(), &machine.all()).expect("there").expect("placed")
    };
    let sockets = [[0, 1, 4, 5], [2, 3, 6, 7]];
    let [one, other] = sockets.map(|socket| socket.to_vec());
    let all = cpus(4, "sockets", "spread+primary(2)");
    assert_eq!(all, [&one, &one, &other, &other].map(Clone::clone));
    let cores = cpus(4, "cores", "spread+close(2)");
    assert_eq!(cores, [[0, 4], [1, 5], [2, 6], [3, 7]]);
    let primary = cpus(4, "cores", "spread+primary(2)");
    assert_eq!(primary, [[0, 4], [0, 4], [2, 6], [2, 6]]);
}

#[test]
fn placements_that_cannot_be_are_refused() {
    folder().check(
        "
            2 | sort --digis 5k --places dies | there are threads, cores, ll_caches
            2 | sort --digis 5k --places {0 | not a list of places
            2 | sort --digis 5k --places {9000} | may not use CPU 9000, but 0
            2 | sort --digis 5k --places cores(900) | cores to be used
            2 | sort --digis 5k --bind tight | there are false, close, spread and primary
            2 | sort --variant block-merge --bind spread+primary | has 2 levels, but block-merge has 1 level
            2 | sort --variant block-merge --threads 2x2 | --threads has 2 levels, but block-merge has 1 level
            2 | decode --sectors 1 --bind spread+close+close | more than two levels
            2 | decode --sectors 1 --threads 2x0 | 12x4 for nested teams
            2 | sort --digis 5k --threads 100000 | is far more than
        ",
    );
}
