//! Recordings from a scripted runtime, byte by byte if necessary.

pub(super) mod server;

use super::message::{PortCommand, RecordedProvider, RecordingRequest, ask, identify};
use super::port::CONNECT_TIMEOUT;
use super::port_error::PortError;
use super::session::{Control, EarlyNames, Session, SessionEnd};
use crate::importers::{Tally, blocks_of_names, import, is_nameless};
use crate::model::{MetricId, NodeId};
use server::{Play, ScriptedRuntime, refusal, reply};
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A real recording from .NET 10, with its rundown.
const RECORDED: &[u8] = include_bytes!("../../snapshots/js-ordered-consume.nettrace");

pub(super) fn request() -> RecordingRequest {
    let provider = RecordedProvider {
        name: "P".into(),
        keywords: 0,
        level: 4,
        arguments: String::new(),
    };
    RecordingRequest {
        providers: vec![provider],
        buffer_mb: 256,
    }
}

/// The process information of a .NET 8 process: its id, a cookie, and five strings.
pub(super) fn info(name: &str) -> Vec<u8> {
    let mut payload = [&7u64.to_le_bytes()[..], &[1; 16]].concat();
    for text in ["Shop.exe", "Windows", "x64", name, "8.0.1"] {
        let units: Vec<u16> = text.encode_utf16().chain([0]).collect();
        payload.extend((units.len() as u32).to_le_bytes());
        payload.extend(units.into_iter().flat_map(u16::to_le_bytes));
    }
    reply(true, &payload)
}

/// The bytes in pieces of at most `size`.
fn pieces(bytes: &[u8], size: usize) -> Vec<Vec<u8>> {
    bytes.chunks(size).map(<[u8]>::to_vec).collect()
}

/// The data that a recording connection sends.
fn stream(events: &[u8]) -> Vec<u8> {
    [&reply(true, &7u64.to_le_bytes()), events].concat()
}

/// A recording from a runtime that `plays` this, stopped immediately or never, with how it ended and what was written.
fn record(
    plays: Vec<Play>,
    control: Control,
) -> (Result<SessionEnd, PortError>, Vec<u8>, Arc<ScriptedRuntime>) {
    let (port, mut out) = (Arc::new(ScriptedRuntime::new(plays)), Vec::new());
    let session = Session::start(port.clone(), &request());
    let end = session.map(|mut session| session.copy(&mut out, |_| control));
    (end, out, port)
}

#[test]
fn a_reply_may_arrive_in_pieces_of_any_size() {
    for size in 1..=28 {
        let port = ScriptedRuntime::new(vec![Play::Answers(pieces(
            &reply(true, &7u64.to_le_bytes()),
            size,
        ))]);
        let mut channel = super::port::Port::connect(&port).unwrap();
        assert_eq!(
            ask(&mut *channel, &PortCommand::Stop(7), CONNECT_TIMEOUT).unwrap(),
            7u64.to_le_bytes(),
            "{size} bytes at once"
        );
    }
}

#[test]
fn a_recording_may_be_split_anywhere() {
    // 400 kB are enough, and the reply is split with it
    let bytes = &RECORDED[..400_000];
    let whole = stream(bytes);
    for cut in 0..=60 {
        let parts = vec![whole[..cut].to_vec(), whole[cut..].to_vec()];
        let parts = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let (end, out, _) = record(vec![Play::Answers(parts)], Control::Continue);
        assert!(
            matches!(end, Ok(SessionEnd::CutOff)),
            "cut at {cut}: {end:?}"
        );
        assert_eq!(out, bytes);
    }
}

#[test]
fn running_counts_match_the_file() {
    // dotnet-trace's own report of this recording, see snapshots/README.md, counts as many samples
    let mut by_bytes = Tally::default();
    RECORDED
        .chunks(1_000)
        .for_each(|piece| by_bytes.push(piece));
    let mut at_once = Tally::default();
    at_once.push(RECORDED);
    for tally in [&by_bytes, &at_once] {
        assert!(tally.blocks.is_whole);
        assert_eq!(tally.blocks.complete_bytes, RECORDED.len() as u64);
        assert_eq!(tally.dropped(), 0);
        // each sample is an event, as is each of the names at the end
        assert!(tally.events > tally.samples);
    }
    assert_eq!(
        (by_bytes.samples, by_bytes.threads()),
        (at_once.samples, at_once.threads())
    );
    assert!(by_bytes.samples > 10_000);
}

#[test]
fn a_stopped_recording_is_complete_whenever_the_answer_comes() {
    let good = || reply(true, &7u64.to_le_bytes());
    let events = || Play::Answers(pieces(&stream(RECORDED), 50_000));
    // before the end of the stream, never, truncated, and with an unknown id, which is answered with success
    let answers = [
        Play::Answers(vec![good()]),
        Play::Hangs(Vec::new()),
        Play::Answers(vec![good()[..9].to_vec()]),
        Play::Refuses(io::ErrorKind::ConnectionRefused),
    ];
    for answer in answers {
        let (end, out, _) = record(vec![events(), answer.clone()], Control::Stop);
        assert!(
            matches!(end, Ok(SessionEnd::Complete)),
            "{answer:?}: {end:?}"
        );
        assert_eq!(out, RECORDED);
    }
}

#[test]
fn a_stream_left_open_after_its_end_is_complete() {
    let (end, _, _) = record(
        vec![Play::Hangs(pieces(&stream(RECORDED), 50_000))],
        Control::Continue,
    );
    assert!(matches!(end, Ok(SessionEnd::Complete)), "{end:?}");
}

#[test]
fn a_runtime_that_refuses_to_stop_says_so() {
    let plays = vec![
        Play::Hangs(vec![stream(&RECORDED[..1000])]),
        Play::Answers(vec![refusal(0x8000_4005)]),
    ];
    let started = Instant::now();
    let (end, _, port) = record(plays, Control::Stop);
    // .NET Core 3.1 crashes if that comes too early
    assert!(started.elapsed() >= Duration::from_millis(200));
    assert!(
        matches!(
            end,
            Ok(SessionEnd::StopFailed(PortError::Refused(0x8000_4005)))
        ),
        "{end:?}"
    );
    assert_eq!(port.received(), [(2, 3), (2, 1)]);
}

#[test]
fn a_runtime_that_never_stops_sending_is_given_up() {
    let endless = vec![stream(b"Nettrace"); 10_000];
    let good = reply(true, &7u64.to_le_bytes());
    let plays = vec![Play::Trickles(endless), Play::Answers(vec![good])];
    let mut session = Session::start(Arc::new(ScriptedRuntime::new(plays)), &request()).unwrap();
    session.stop_timeout = Duration::from_millis(300);
    let started = Instant::now();
    let end = session.copy(&mut io::sink(), |_| Control::Stop);
    assert!(matches!(end, SessionEnd::Stuck), "{end:?}");
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_trickling_answer_times_out() {
    let port = ScriptedRuntime::new(vec![Play::Trickles(pieces(&reply(true, &[7; 8]), 1))]);
    let mut channel = super::port::Port::connect(&port).unwrap();
    let timeout = Duration::from_millis(100);
    let answer = ask(&mut *channel, &PortCommand::Stop(7), timeout);
    assert!(matches!(answer, Err(PortError::Silent)), "{answer:?}");
}

#[test]
fn giving_up_does_not_wait() {
    let (end, out, port) = record(vec![Play::Hangs(vec![stream(b"Nettr")])], Control::GiveUp);
    assert!(matches!(end, Ok(SessionEnd::GivenUp)), "{end:?}");
    assert!(out.is_empty());
    assert_eq!(port.received(), [(2, 3)]);
}

#[test]
fn files_that_are_not_recordings_are_reported() {
    let (end, out, _) = record(
        vec![Play::Answers(vec![stream(b"HTTP/1.1 400 Bad Request")])],
        Control::Continue,
    );
    assert!(matches!(end, Ok(SessionEnd::Damaged(0))), "{end:?}");
    assert_eq!(out.len(), 24, "what came is kept");
}

#[test]
fn a_full_disk_ends_the_recording() {
    struct FullDisk;
    impl io::Write for FullDisk {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let port = Arc::new(ScriptedRuntime::new(vec![Play::Answers(vec![stream(
        RECORDED,
    )])]));
    let end = Session::start(port, &request())
        .unwrap()
        .copy(&mut FullDisk, |_| Control::Continue);
    assert!(matches!(end, SessionEnd::WriteFailed(_)), "{end:?}");
}

/// A runtime's behavior at the start, with the resulting message.
#[track_caller]
fn check_start(play: Play, expect: &str) {
    let (start, _, _) = record(vec![play], Control::Continue);
    let port_error = start.expect_err(expect);
    assert_eq!(port_error.to_string(), expect);
}

#[test]
fn a_recording_that_does_not_start_reports_the_reason() {
    let answers = |bytes: &[u8]| Play::Answers(vec![bytes.to_vec()]);
    check_start(
        answers(&refusal(0x8013_1385)),
        "its runtime is too old for this",
    );
    check_start(
        answers(&refusal(0x8000_4005)),
        "its runtime can't start another recording",
    );
    check_start(
        answers(&refusal(0x8013_1384)),
        "its runtime refused with code 80131384",
    );
    check_start(
        Play::Hangs(Vec::new()),
        "its diagnostic port does not answer",
    );
    check_start(
        Play::Hangs(vec![reply(true, &[7; 8])[..21].to_vec()]),
        "its diagnostic port does not answer",
    );
    let hung_up = "its diagnostic port closed the connection before the answer was complete";
    for length in 0..28 {
        check_start(answers(&reply(true, &[7; 8])[..length]), hung_up);
    }
    check_start(
        Play::Refuses(io::ErrorKind::ConnectionRefused),
        "nothing listens on its diagnostic port",
    );
    check_start(
        Play::Refuses(io::ErrorKind::PermissionDenied),
        "its diagnostic port belongs to another user",
    );
    let invalid = "its diagnostic port sent an invalid answer: expected ";
    let garbage = b"HTTP/1.1 400 Bad Request\r\n\r\n";
    check_start(
        answers(garbage),
        &format!("{invalid}a message of the diagnostic port"),
    );
    check_start(
        answers(&reply(true, &[7; 4])),
        &format!("{invalid}a session id of 8 bytes"),
    );
    check_start(
        answers(&reply(false, &[7; 2])),
        &format!("{invalid}an error code"),
    );
    let mut short = reply(true, &[]);
    short[14] = 19;
    check_start(
        answers(&short),
        &format!("{invalid}a message of the diagnostic port"),
    );
    let mut other = reply(true, &[]);
    other[16] = 4;
    check_start(answers(&other), &format!("{invalid}a reply"));
}

#[test]
fn an_old_runtime_only_gets_commands_it_knows() {
    let old = || Play::Answers(vec![refusal(0x8013_1385)]);
    let port = ScriptedRuntime::new(vec![old(), old()]);
    assert!(identify(&port, Duration::from_secs(1)).unwrap().is_none());
    assert_eq!(port.received(), [(4, 4), (4, 0)]);
}

#[test]
fn early_names_apply_to_a_truncated_recording() {
    // the last tenth of the recording contains the names
    let cut = RECORDED.len() * 6 / 10;
    let mut tally = Tally::default();
    tally.push(&RECORDED[..cut]);
    let mut file = RECORDED[..tally.blocks.complete_bytes as usize].to_vec();
    let good = reply(true, &7u64.to_le_bytes());
    let port: Arc<dyn super::port::Port> = Arc::new(ScriptedRuntime::new(vec![
        Play::Answers(vec![stream(RECORDED)]),
        Play::Answers(vec![good]),
    ]));
    let names = EarlyNames::request(&port, Duration::ZERO, false).stream(|| false);
    let names = blocks_of_names(&names, file.len() as u64);
    let without = nameless(&file);
    file.extend(names);
    let with = nameless(&file);
    assert!(without.1 > 50.0 && with.1 < 3.0, "{without:?} {with:?}");
    assert_eq!(without.0, with.0, "samples");
}

#[test]
fn unneeded_names_are_given_up() {
    let port: Arc<dyn super::port::Port> = Arc::new(ScriptedRuntime::new(Vec::new()));
    let names = EarlyNames::request(&port, Duration::from_secs(60), false);
    let start = Instant::now();
    assert!(names.stream(|| true).is_empty());
    assert!(
        start.elapsed() < Duration::from_secs(30),
        "{:?}",
        start.elapsed()
    );
}

/// The samples of a recording, and the share of nameless frames in them, in percent.
fn nameless(bytes: &[u8]) -> (u64, f64) {
    let reader = Box::new(io::Cursor::new(bytes.to_vec()));
    let input = crate::input::Input::stream("a.nettrace", reader, Default::default()).unwrap();
    let view = import(input).unwrap().into_view();
    let metric = view
        .recording
        .metrics
        .iter()
        .position(|metric| metric.name == "samples")
        .map(MetricId::at)
        .unwrap();
    let frames = |node: &NodeId| {
        view.tree
            .parent(*node)
            .and_then(|parent| view.tree.parent(parent))
            .is_some()
    };
    let (mut all, mut without) = (0, 0);
    for node in view.tree.nodes().filter(frames) {
        let samples = view.tree.inclusive(metric, node);
        all += samples;
        without += if is_nameless(view.frames.name(view.tree.frame(node))) {
            samples
        } else {
            0
        };
    }
    (
        view.tree.inclusive(metric, NodeId::ROOT),
        100.0 * without as f64 / all as f64,
    )
}
