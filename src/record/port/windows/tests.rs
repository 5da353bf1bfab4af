//! Pipes whose server misbehaves.

use super::*;
use crate::record::message::identify;
use crate::record::session::{Control, Session, SessionEnd};
use crate::record::tests::request;
use crate::record::tests::server::{refusal, reply};
use interprocess::os::windows::named_pipe::{PipeListener, PipeListenerOptions};
use std::sync::Arc;
use std::time::Instant;

/// A real recording from .NET 10, with its rundown.
const RECORDED: &[u8] = include_bytes!("../../../../snapshots/js-ordered-consume.nettrace");
const UNKNOWN_COMMAND: u32 = 0x8013_1385;

pub(in crate::record) fn pipe(name: &str) -> Pipe {
    let pid = std::process::id();
    Pipe {
        path: format!(r"\\.\pipe\dotspot-test-{pid}-{name}").into(),
        server: pid,
        missing_attempts: 1,
    }
}

/// Serves a pipe: each connection is read once, and answered with these pieces. Returns what was read.
pub(in crate::record) fn serve(pipe: &Pipe, answers: Vec<Vec<Vec<u8>>>) -> Receiver<Vec<u8>> {
    let (sender, received) = std::sync::mpsc::channel();
    let listener: PipeListener<Bytes, Bytes> = PipeListenerOptions::new()
        .path(pipe.path.as_path())
        .create_duplex()
        .unwrap();
    thread::spawn(move || {
        for pieces in answers {
            let mut stream = listener.accept().unwrap();
            let mut request = vec![0; 4096];
            let count = stream.read(&mut request).unwrap_or(0);
            request.truncate(count);
            let _ = sender.send(request);
            for piece in pieces {
                let _ = stream.write_all(&piece);
            }
            let _ = stream.flush();
        }
    });
    received
}

#[test]
fn a_recording_arrives_complete_through_a_pipe() {
    let pipe = pipe("whole");
    let first = reply(true, &7u64.to_le_bytes());
    let pieces = RECORDED.chunks(50_000).map(<[u8]>::to_vec);
    serve(&pipe, vec![std::iter::once(first).chain(pieces).collect()]);
    let mut out = Vec::new();
    let end = Session::start(Arc::new(pipe), &request())
        .unwrap()
        .copy(&mut out, |_| Control::Continue);
    assert!(matches!(end, SessionEnd::Complete), "{end:?}");
    assert_eq!(out, RECORDED);
}

#[test]
fn truncated_refusing_and_malformed_answers_are_distinguished() {
    let pipe = pipe("answers");
    let too_old = || vec![refusal(UNKNOWN_COMMAND)];
    let cut = vec![reply(true, &[0; 8])[..12].to_vec()];
    serve(
        &pipe,
        vec![
            cut,
            vec![b"HTTP/1.1 400 Bad Request\r\n".to_vec()],
            too_old(),
            too_old(),
        ],
    );
    let ask = || identify(&pipe, Duration::from_secs(5));
    assert!(matches!(ask(), Err(PortError::HungUp)));
    assert!(matches!(ask(), Err(PortError::Garbled(_))));
    // .NET Core 3.1 knows neither command
    assert!(matches!(ask(), Ok(None)));
    let nobody = identify(&self::pipe("nobody"), Duration::from_secs(5));
    assert!(matches!(nobody, Err(PortError::Gone)), "{nobody:?}");
}

#[test]
fn silent_runtimes_are_given_up_in_time() {
    let pipe = pipe("silent");
    let listener: PipeListener<Bytes, Bytes> = PipeListenerOptions::new()
        .path(pipe.path.as_path())
        .create_duplex()
        .unwrap();
    let start = Instant::now();
    let asked = identify(&pipe, Duration::from_millis(200));
    assert!(matches!(asked, Err(PortError::Silent)), "{asked:?}");
    assert!(start.elapsed() < Duration::from_secs(2));
    drop(listener);
}

#[test]
fn only_the_process_itself_may_serve_its_pipe() {
    let pipe = pipe("strange");
    serve(&pipe, vec![vec![reply(true, &[])]; 2]);
    assert!(pipe.connect().is_ok());
    let others = Pipe {
        server: pipe.server + 4,
        ..pipe
    };
    assert!(matches!(others.connect(), Err(PortError::WrongListener)));
}

#[test]
fn an_unserved_pipe_is_not_a_port() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let pipe = Pipe {
        path: file.path().into(),
        ..pipe("file")
    };
    assert!(matches!(pipe.connect(), Err(PortError::WrongListener)));
}
