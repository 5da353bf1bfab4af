//! Calls from scripted runtimes: which commands each gets, in which order.

use super::super::message::{RecordedProvider, RecordingRequest};
use super::super::session::{Control, Session, SessionEnd};
use super::*;
use std::io::Write as _;

/// A runtime since .NET 5, which connects at startup and waits to be resumed.
struct Player {
    pid: u64,
    /// Its process information; `None` before .NET 7.
    entry: Option<&'static str>,
    /// How many bytes it writes at once.
    piece: usize,
    /// The command that it refuses.
    refuses: Option<(u8, u8)>,
}

fn player(pid: u64, entry: Option<&'static str>) -> Player {
    Player {
        pid,
        entry,
        piece: usize::MAX,
        refuses: None,
    }
}

fn refusal() -> Vec<u8> {
    reply(false, &0x8000_4005_u32.to_le_bytes())
}

impl Player {
    /// Connects until it is resumed, and returns the commands it received, and the values to which its variable was set.
    fn play(self, socket: PathBuf) -> thread::JoinHandle<Vec<(u8, u8, Vec<u8>)>> {
        thread::spawn(move || {
            let (mut received, mut kept) = (Vec::new(), Vec::new());
            loop {
                let Ok(mut stream) = UnixStream::connect(&socket) else {
                    return received;
                };
                stream
                    .set_read_timeout(Some(Duration::from_secs(20)))
                    .unwrap();
                let advertised = [
                    &b"ADVR_V1\0"[..],
                    &[self.pid as u8; 16],
                    &self.pid.to_le_bytes(),
                    &[0, 0],
                ]
                .concat();
                self.write(&mut stream, &advertised);
                let mut header = [0; 20];
                if stream.read_exact(&mut header).is_err() {
                    return received;
                }
                let mut payload =
                    vec![0; usize::from(u16::from_le_bytes([header[14], header[15]])) - 20];
                stream.read_exact(&mut payload).unwrap();
                let command = (header[16], header[17]);
                // a runtime that is told to resume does
                let is_first = !received.iter().any(|&(set, id, _)| (set, id) == command);
                let is_refused = self.refuses == Some(command) && (is_first || command != (4, 1));
                self.write(
                    &mut stream,
                    &if is_refused {
                        refusal()
                    } else {
                        self.answer(command)
                    },
                );
                received.push((command.0, command.1, payload));
                match command {
                    (4, 1) if !is_refused => return received,
                    // its events would follow
                    (2, 3) => kept.push(stream),
                    _ => {}
                }
            }
        })
    }

    fn write(&self, stream: &mut UnixStream, bytes: &[u8]) {
        for piece in bytes.chunks(self.piece.min(bytes.len())) {
            // a peer that stopped listening has received enough
            let _ = stream.write_all(piece);
        }
    }

    fn answer(&self, command: (u8, u8)) -> Vec<u8> {
        let texts = |texts: &[&str]| {
            let text = |text: &&str| {
                let units: Vec<u16> = text.encode_utf16().chain([0]).collect();
                let count = (units.len() as u32).to_le_bytes();
                count
                    .into_iter()
                    .chain(units.into_iter().flat_map(u16::to_le_bytes))
                    .collect::<Vec<u8>>()
            };
            let texts: Vec<u8> = texts.iter().flat_map(text).collect();
            reply(
                true,
                &[&self.pid.to_le_bytes()[..], &[self.pid as u8; 16], &texts].concat(),
            )
        };
        match (command, self.entry) {
            ((4, 4), Some(entry)) => texts(&["/usr/bin/dotnet", "Linux", "x64", entry, "10.0.12"]),
            ((4, 0), None) => texts(&["/usr/bin/dotnet", "Linux", "x64"]),
            ((4, 1 | 3), _) => reply(true, &[0; 4]),
            ((2, 3), _) => reply(true, &7_u64.to_le_bytes()),
            _ => reply(false, &0x8013_1385_u32.to_le_bytes()),
        }
    }
}

fn reply(is_good: bool, payload: &[u8]) -> Vec<u8> {
    crate::record::tests::server::reply(is_good, payload)
}

fn commands(received: &[(u8, u8, Vec<u8>)]) -> Vec<(u8, u8)> {
    received
        .iter()
        .map(|(set, command, _)| (*set, *command))
        .collect()
}

/// Unsets the variable: its name, and no value.
fn unset() -> Vec<u8> {
    let units: Vec<u16> = VARIABLE.encode_utf16().chain([0]).collect();
    let name = units.iter().flat_map(|unit| unit.to_le_bytes());
    (units.len() as u32)
        .to_le_bytes()
        .into_iter()
        .chain(name)
        .chain([0; 4])
        .collect()
}

fn request() -> RecordingRequest {
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

const SOON: Duration = Duration::from_secs(10);

#[test]
fn a_program_is_recorded_before_it_resumes() {
    for piece in [usize::MAX, 1] {
        let port = ReversePort::open(None).unwrap();
        let program = Player {
            piece,
            ..player(7, Some("Shop"))
        }
        .play(port.socket());
        let suspended = port.suspended(SOON).expect("it connects");
        let info = suspended.info.as_ref().unwrap();
        assert_eq!(
            (
                suspended.pid,
                info.entry.as_deref(),
                info.runtime.as_deref()
            ),
            (7, Some("Shop"), Some("10.0.12"))
        );
        suspended.restore_environment().unwrap();
        let mut session = Session::start(Arc::clone(&suspended.port), &request()).unwrap();
        suspended.resume().unwrap();
        let received = program.join().unwrap();
        assert_eq!(commands(&received), [(4, 4), (4, 3), (2, 3), (4, 1)]);
        assert_eq!(received[1].2, unset());
        // the program has ended, and its stream with it
        assert!(matches!(
            session.copy(&mut Vec::new(), |_| Control::Continue),
            SessionEnd::CutOff
        ));
    }
}

#[test]
fn the_sdk_is_resumed_its_child_recorded_and_grandchildren_resumed() {
    let port = ReversePort::open(None).unwrap();
    let sdk = player(1, Some("dotnet"))
        .play(port.socket())
        .join()
        .unwrap();
    assert_eq!(
        commands(&sdk),
        [(4, 4), (4, 1)],
        "its variable stays, so that its child calls"
    );
    let program = player(2, Some("Shop")).play(port.socket());
    let suspended = port.suspended(SOON).expect("it connects");
    assert_eq!(suspended.pid, 2);
    let child = player(3, Some("Stock")).play(port.socket()).join().unwrap();
    assert_eq!(commands(&child), [(4, 4), (4, 3), (4, 1)]);
    assert_eq!(child[1].2, unset());
    assert!(port.suspended(Duration::ZERO).is_none());
    suspended.resume().unwrap();
    assert_eq!(commands(&program.join().unwrap()), [(4, 4), (4, 1)]);
}

#[test]
fn a_runtime_that_does_not_know_its_name_is_recorded() {
    let port = ReversePort::open(None).unwrap();
    let program = player(7, None).play(port.socket());
    let suspended = port.suspended(SOON).expect("it connects");
    let entry = &suspended.info.as_ref().unwrap().entry;
    assert_eq!((suspended.pid, entry.as_deref()), (7, None));
    suspended.resume().unwrap();
    assert_eq!(commands(&program.join().unwrap()), [(4, 4), (4, 0), (4, 1)]);
}

/// Whatever goes wrong, nobody waits forever.
#[test]
fn unrecorded_runtimes_are_resumed() {
    // it refuses to be recorded
    let port = ReversePort::open(None).unwrap();
    let program = Player {
        refuses: Some((2, 3)),
        ..player(7, Some("Shop"))
    }
    .play(port.socket());
    let suspended = port.suspended(SOON).expect("it connects");
    assert!(Session::start(Arc::clone(&suspended.port), &request()).is_err());
    drop(suspended);
    assert_eq!(
        commands(&program.join().unwrap()),
        [(4, 4), (2, 3), (4, 3), (4, 1)]
    );
    // it refuses the variable
    let port = ReversePort::open(None).unwrap();
    let program = Player {
        refuses: Some((4, 3)),
        ..player(7, Some("Shop"))
    }
    .play(port.socket());
    drop(port.suspended(SOON).expect("it connects"));
    assert_eq!(commands(&program.join().unwrap()), [(4, 4), (4, 3), (4, 1)]);
    // it refuses to continue
    let port = ReversePort::open(None).unwrap();
    let program = Player {
        refuses: Some((4, 1)),
        ..player(7, Some("Shop"))
    }
    .play(port.socket());
    let suspended = port.suspended(SOON).expect("it connects");
    assert!(suspended.resume().is_err());
    drop(suspended);
    assert_eq!(
        commands(&program.join().unwrap()),
        [(4, 4), (4, 1), (4, 3), (4, 1)]
    );
    // nobody receives its call
    let port = ReversePort::open(None).unwrap();
    let program = player(7, Some("Shop")).play(port.socket());
    thread::sleep(Duration::from_millis(200));
    drop(port);
    assert_eq!(commands(&program.join().unwrap()), [(4, 4), (4, 3), (4, 1)]);
}

/// One that disconnects before it identifies itself does not take the program's place.
#[test]
fn unidentified_runtimes_are_not_recorded() {
    let port = ReversePort::open(None).unwrap();
    let mut short = UnixStream::connect(port.socket()).unwrap();
    short
        .write_all(&[&b"ADVR_V1\0"[..], &[9; 16], &9u64.to_le_bytes(), &[0, 0]].concat())
        .unwrap();
    drop(short);
    let program = player(7, Some("Shop")).play(port.socket());
    assert_eq!(port.suspended(SOON).expect("it connects").pid, 7);
    assert_eq!(commands(&program.join().unwrap()), [(4, 4), (4, 3), (4, 1)]);
}

#[test]
fn malformed_messages_do_not_block_others() {
    let port = ReversePort::open(None).unwrap();
    let connect = || UnixStream::connect(port.socket()).unwrap();
    let silent = connect();
    let mut garbage = connect();
    garbage
        .write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    let mut half = connect();
    half.write_all(b"ADVR_V1\0half").unwrap();
    drop(half);
    let program = player(7, Some("Shop")).play(port.socket());
    assert_eq!(
        port.suspended(Duration::from_secs(4))
            .expect("it connects")
            .pid,
        7
    );
    drop(silent);
    assert_eq!(commands(&program.join().unwrap()), [(4, 4), (4, 3), (4, 1)]);
}

/// A process that connects, does not know its name, and ends when it gets another command.
const PROGRAM_THAT_DIES: &str = r#"
import socket, struct, sys
def call():
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    s.sendall(b"ADVR_V1\0" + bytes(16) + struct.pack("<QH", 7, 0))
    s.recv(4096)
    return s
for _ in range(2):
    call().sendall(b"DOTNET_IPC_V1\0" + struct.pack("<HBBHI", 24, 255, 255, 0, 0x80131385))
call()
"#;

#[test]
fn nothing_waits_for_a_program_that_dies_at_startup() {
    let port = ReversePort::open(None).unwrap();
    let mut program = process::Command::new("python3")
        .args(["-c", PROGRAM_THAT_DIES])
        .arg(port.socket())
        .spawn()
        .unwrap();
    let suspended = port.suspended(SOON).expect("it connects");
    let started = Instant::now();
    assert!(suspended.restore_environment().is_err());
    assert!(Session::start(Arc::clone(&suspended.port), &request()).is_err());
    assert!(suspended.resume().is_err());
    drop(suspended);
    assert!(
        started.elapsed() < CONNECT_TIMEOUT,
        "{:?}",
        started.elapsed()
    );
    program.wait().unwrap();
}

#[test]
fn a_port_is_created_where_its_path_fits() {
    let folder = tempfile::tempdir().unwrap();
    let [odd, long] = ["a,b".into(), "x".repeat(90)].map(|name: String| folder.path().join(name));
    for folder in [&odd, &long] {
        std::fs::create_dir(folder).unwrap();
    }
    let parents = [
        PathBuf::new(),
        odd,
        folder.path().join("none"),
        long.clone(),
        folder.path().into(),
    ];
    let (port, _listener) = bind(&parents).unwrap();
    assert_eq!(port.path().parent(), Some(folder.path()));
    assert_eq!(
        std::fs::read_dir(long).unwrap().count(),
        0,
        "nothing is left"
    );
    assert!(bind(&parents[..4]).is_err());
}

#[test]
fn the_variable_keeps_its_previous_value() {
    let port = ReversePort::open(Some("/a,nosuspend".into())).unwrap();
    let value = format!("{},suspend", port.socket().display());
    assert_eq!(
        port.value(Some("/a,nosuspend")),
        format!("/a,nosuspend;{value}")
    );
    assert_eq!(port.value(None), value);
    let program = player(7, Some("Shop")).play(port.socket());
    drop(port.suspended(SOON).expect("it connects"));
    let received = program.join().unwrap();
    let units: Vec<u8> = "/a,nosuspend"
        .encode_utf16()
        .chain([0])
        .flat_map(u16::to_le_bytes)
        .collect();
    assert!(received[1].2.ends_with(&units));
}

#[test]
fn nothing_is_left_behind() {
    let port = ReversePort::open(None).unwrap();
    let folder = port.folder.path().to_path_buf();
    drop(port);
    assert!(!folder.exists());
    // as if dotspot had been killed: the next port cleans up
    let parent = tempfile::tempdir().unwrap();
    let left = parent.path().join("dotspot-port-left");
    std::fs::create_dir(&left).unwrap();
    drop(UnixListener::bind(left.join("s")).unwrap());
    let used = parent.path().join("dotspot-port-used");
    std::fs::create_dir(&used).unwrap();
    let listener = UnixListener::bind(used.join("s")).unwrap();
    remove_stale(parent.path(), Duration::from_secs(60));
    assert!(left.exists(), "it may be about to listen");
    remove_stale(parent.path(), Duration::ZERO);
    assert!(!left.exists() && used.exists());
    drop(listener);
}
