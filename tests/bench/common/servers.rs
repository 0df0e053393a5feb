//! Servers of others that tests talk to.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const INFLUXDB: &str = r#"reporting-disabled = true
bind-address = "127.0.0.1:RPC"
[meta]
  dir = "DIR/meta"
[data]
  dir = "DIR/data"
  wal-dir = "DIR/wal"
[http]
  bind-address = "127.0.0.1:HTTP"
[monitor]
  store-enabled = false
"#;

/// Servers that end with the test, the one started last first.
#[derive(Default)]
pub struct Servers(Vec<Child>);

impl Servers {
    /// Starts one.
    pub fn start(&mut self, command: &mut Command) {
        self.0.push(command.spawn().expect("a server"));
    }

    /// Starts InfluxDB, which keeps all below a folder, with a database `lab`; returns its URL.
    pub fn start_influxdb(&mut self, folder: &Path) -> String {
        let http = port();
        let config = INFLUXDB
            .replace("DIR", &folder.join("influx").display().to_string())
            .replace("RPC", &port())
            .replace("HTTP", &http);
        std::fs::write(folder.join("influx.conf"), config).expect("written");
        let mut command = Command::new("influxd");
        command.args(["-config", "influx.conf"]).current_dir(folder);
        self.start(command.stdout(Stdio::null()).stderr(Stdio::null()));
        let url = format!("http://127.0.0.1:{http}");
        let create = ["-XPOST", "--data-urlencode", "q=CREATE DATABASE lab"];
        let query = format!("{url}/query");
        let created = retried(|| curl(&[&[query.as_str()], &create[..]].concat()));
        assert!(created.is_some(), "no answer");
        url
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for server in self.0.iter_mut().rev() {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

/// Returns true if all programs are installed; prints which one is missing.
pub fn are_installed(programs: &[&str]) -> bool {
    programs.iter().all(|program| {
        let line = format!("PATH=$PATH:/usr/sbin command -v {program}");
        let found = Command::new("sh").args(["-c", &line]).output();
        let is_there = found.expect("a shell").status.success();
        if !is_there {
            eprintln!("skipped: {program} is not installed");
        }
        is_there
    })
}

/// Returns a port of this machine that was free just now.
pub fn port() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    address.port().to_string()
}

/// Returns the response of a server to curl; `None` if it refuses.
pub fn curl(arguments: &[&str]) -> Option<String> {
    let output = Command::new("curl").arg("-sf").args(arguments).output().expect("curl");
    output.status.success().then(|| words(&output))
}

/// Returns all output of a program.
pub fn words(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&both).trim().to_owned()
}

/// Retries until there is an answer, for up to two minutes.
pub fn retried<T>(ask: impl Fn() -> Option<T>) -> Option<T> {
    let end = Instant::now() + Duration::from_secs(120);
    loop {
        let answer = ask();
        if answer.is_some() || Instant::now() > end {
            return answer;
        }
        sleep(Duration::from_millis(20));
    }
}
