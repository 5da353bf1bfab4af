//! A fake .NET process: this one, with a diagnostic socket where dotspot looks for it.

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};

/// A real recording of .NET 10, with the names of methods at the end.
pub const RECORDED: &[u8] = include_bytes!("../../snapshots/js-ordered-consume.nettrace");

/// The generic error.
const FAIL: u32 = 0x8000_4005;
const UNKNOWN_COMMAND: u32 = 0x8013_1385;

/// Listens in a folder as if this process were .NET Core 3. A recording gets the first `at_once` bytes, and the rest
/// when it is stopped. A second recording at the same time gets everything, for its names.
pub fn listen(folder: &Path, at_once: usize) {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let ticks = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19);
    let name = format!(
        "dotnet-diagnostic-{}-{}-socket",
        std::process::id(),
        ticks.unwrap()
    );
    let listener = UnixListener::bind(folder.join(name)).unwrap();
    let stopped = Arc::new((Mutex::new(false), Condvar::new()));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let stopped = Arc::clone(&stopped);
            // clients may disconnect once they have heard enough
            std::thread::spawn(move || drop(serve(stream.unwrap(), at_once, &stopped)));
        }
    });
}

fn serve(
    mut stream: UnixStream,
    at_once: usize,
    (stopped, changed): &(Mutex<bool>, Condvar),
) -> std::io::Result<()> {
    let (command, payload) = message(&mut stream)?;
    let nobody: Vec<u8> = "dotspot-names"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    match command {
        (2, 3) if payload.windows(nobody.len()).any(|part| part == nobody) => {
            stream.write_all(&reply(true, &8_u64.to_le_bytes()))?;
            stream.write_all(RECORDED)
        }
        (2, 3) => {
            stream.write_all(&reply(true, &7_u64.to_le_bytes()))?;
            stream.write_all(&RECORDED[..at_once])?;
            let is_stopped = stopped.lock().unwrap();
            let is_stopped = changed.wait_while(is_stopped, |is_stopped| !*is_stopped);
            drop(is_stopped.unwrap());
            stream.write_all(&RECORDED[at_once..])
        }
        (2, 1) => {
            *stopped.lock().unwrap() |= payload == 7_u64.to_le_bytes();
            changed.notify_all();
            stream.write_all(&reply(true, &payload))
        }
        (4, _) => stream.write_all(&reply(false, &UNKNOWN_COMMAND.to_le_bytes())),
        _ => stream.write_all(&reply(false, &FAIL.to_le_bytes())),
    }
}

/// Connects to a port as runtimes since .NET 5 do when they start. Returns the commands received until it is told to
/// continue.
pub fn call(socket: &Path) -> Vec<(u8, u8)> {
    let mut heard = Vec::new();
    while heard.last() != Some(&(4, 1)) {
        let mut stream = UnixStream::connect(socket).unwrap();
        let who = [&b"ADVR_V1\0"[..], &[9; 16], &9_u64.to_le_bytes(), &[0, 0]].concat();
        stream.write_all(&who).unwrap();
        let (command, _) = message(&mut stream).unwrap();
        heard.push(command);
        let answer = match command {
            (4, 1 | 3) => reply(true, &[0; 4]),
            _ => reply(false, &UNKNOWN_COMMAND.to_le_bytes()),
        };
        stream.write_all(&answer).unwrap();
    }
    heard
}

fn message(stream: &mut UnixStream) -> std::io::Result<((u8, u8), Vec<u8>)> {
    let mut header = [0; 20];
    stream.read_exact(&mut header)?;
    let mut payload = vec![0; usize::from(u16::from_le_bytes([header[14], header[15]])) - 20];
    stream.read_exact(&mut payload)?;
    Ok(((header[16], header[17]), payload))
}

fn reply(is_good: bool, payload: &[u8]) -> Vec<u8> {
    let mut bytes = b"DOTNET_IPC_V1\0".to_vec();
    bytes.extend((20 + payload.len() as u16).to_le_bytes());
    bytes.extend([0xff, if is_good { 0 } else { 0xff }, 0, 0]);
    bytes.extend(payload);
    bytes
}
