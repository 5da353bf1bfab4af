use super::*;
use crate::record::tests::info;
use crate::record::tests::server::{Play, ScriptedRuntime, refusal, reply};
use std::sync::mpsc::channel;

const UNKNOWN_COMMAND: u32 = 0x8013_1385;
const INFO: (u8, u8) = (4, 4);
const SET_VARIABLE: (u8, u8) = (4, 3);
const RESUME: (u8, u8) = (4, 1);

/// A runtime that reports its name and then answers this many commands.
fn runtime(name: &str, commands: usize) -> Arc<ScriptedRuntime> {
    let good = (0..commands).map(|_| Play::Answers(vec![reply(true, &[])]));
    let first = Play::Answers(vec![info(name)]);
    Arc::new(ScriptedRuntime::new(
        std::iter::once(first).chain(good).collect(),
    ))
}

/// Checks these runtimes, whose process ids are 0, 1 and so on.
fn check(resumer: &mut RuntimeResumer, runtimes: &[Arc<ScriptedRuntime>]) {
    let running: Vec<(u32, u64)> = (0..).map(|pid| (pid, 0)).take(runtimes.len()).collect();
    resumer.check(&running, |pid| runtimes[pid as usize].clone());
}

#[test]
fn only_the_program_that_the_sdk_starts_is_recorded_and_all_others_are_resumed() {
    let (recorder, found) = channel();
    let mut resumer = RuntimeResumer::new(Some(recorder), Some("0".into()));
    let runtimes = [
        runtime("dotnet", 1),
        runtime("vstest.console", 1),
        runtime("Shop", 2),
        runtime("Tool", 2),
    ];
    for _ in 0..2 {
        check(&mut resumer, &runtimes);
    }
    let Ok(FoundRuntime::Waiting(suspended)) = found.try_recv() else {
        panic!("a runtime waits");
    };
    let info = suspended.info.as_ref().unwrap();
    assert_eq!((suspended.pid, info.entry.as_deref()), (2, Some("Shop")));
    assert_eq!(info.runtime.as_deref(), Some("8.0.1"));
    assert!(found.try_recv().is_err(), "only one is recorded");
    // the SDK keeps the variable, so child processes are suspended
    for sdk in &runtimes[..2] {
        assert_eq!(sdk.received(), [INFO, RESUME]);
    }
    assert_eq!(runtimes[2].received(), [INFO], "it waits for its recording");
    assert_eq!(runtimes[3].received(), [INFO, SET_VARIABLE, RESUME]);
    drop(suspended);
    assert_eq!(runtimes[2].received(), [INFO, SET_VARIABLE, RESUME]);
}

#[test]
fn a_process_that_does_not_listen_yet_is_checked_again() {
    let (recorder, found) = channel();
    let mut resumer = RuntimeResumer::new(Some(recorder), None);
    let good = || Play::Answers(vec![reply(true, &[])]);
    let shop = Arc::new(ScriptedRuntime::new(vec![
        Play::Refuses(std::io::ErrorKind::NotFound),
        Play::Answers(vec![info("Shop")[..30].to_vec()]),
        Play::Answers(vec![info("Shop")]),
        good(),
        good(),
    ]));
    for is_found in [false, false, true] {
        check(&mut resumer, std::slice::from_ref(&shop));
        assert_eq!(found.try_recv().is_ok(), is_found);
    }
}

#[test]
fn a_runtime_that_cannot_wait_is_recorded_and_no_other() {
    let (recorder, found) = channel();
    let mut resumer = RuntimeResumer::new(Some(recorder), None);
    let too_old = || Play::Answers(vec![refusal(UNKNOWN_COMMAND)]);
    let old = Arc::new(ScriptedRuntime::new(vec![too_old(), too_old()]));
    let new = runtime("Shop", 2);
    check(&mut resumer, &[old, new.clone()]);
    assert!(matches!(found.try_recv(), Ok(FoundRuntime::Running(0))));
    assert!(found.try_recv().is_err());
    assert_eq!(new.received(), [INFO, SET_VARIABLE, RESUME]);
}
