use super::*;
use std::os::unix::net::UnixListener;

/// A process that takes connections and says nothing: this one.
#[test]
fn who_does_not_answer_is_listed_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let pid = std::process::id();
    let facts = Facts::of(pid).unwrap();
    assert!(!system::listens(pid, &facts));
    let _listener = UnixListener::bind(folder.path().join(facts.socket_name())).unwrap();
    assert!(system::listens(pid, &facts));
    let start = Instant::now();
    let listed = list(Some(folder.path()));
    assert!(start.elapsed() < 2 * ASK_TIMEOUT, "{:?}", start.elapsed());
    let ours = listed
        .iter()
        .find(|process| process.pid == pid)
        .expect("it is listed");
    assert_eq!(ours.obstacle, Some(Obstacle::Silent("running".into())));
}

#[test]
fn what_only_looks_like_a_socket_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let pid = std::process::id();
    let facts = Facts::of(pid).unwrap();
    std::fs::write(folder.path().join(facts.socket_name()), "").unwrap();
    let _longer =
        UnixListener::bind(folder.path().join(format!("x{}", facts.socket_name()))).unwrap();
    assert!(!system::listens(pid, &facts));
    assert_eq!(
        system::port_of(pid, &facts, Some(folder.path())).err(),
        Some(Obstacle::NotDotnet)
    );
}

#[test]
fn processes_of_a_group_are_found_without_looking_at_all_of_them() {
    use std::os::unix::process::CommandExt as _;
    let mut leader = std::process::Command::new("sh")
        .args(["-c", "sleep 60 & wait"])
        .process_group(0)
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_secs(10);
    while system::pids_in_group(leader.id()).len() != 2 && Instant::now() < until {
        thread::sleep(Duration::from_millis(10));
    }
    let pids = system::pids_in_group(leader.id());
    assert!(pids.len() == 2 && pids.contains(&leader.id()), "{pids:?}");
    let group = rustix::process::Pid::from_child(&leader);
    rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
    leader.wait().unwrap();
}

/// This program has the mark in itself, as the name that is looked for; `sleep` has it not.
#[test]
fn programs_that_were_compiled_ahead_have_a_mark() {
    let mut sleeping = std::process::Command::new("sleep")
        .arg("60")
        .spawn()
        .unwrap();
    let found = [std::process::id(), sleeping.id()].map(system::is_compiled_ahead);
    sleeping.kill().unwrap();
    sleeping.wait().unwrap();
    assert_eq!(found, [true, false]);
}
