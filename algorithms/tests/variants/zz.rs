use algorithms::registry::tasks;
#[test]
fn sizes() {
    for task in tasks() {
        for (name, case) in task.hard_cases(5) {
            if task.name() == "decode" { eprintln!("{name}: {}", case.work().items); }
        }
    }
}
