use super::*;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[track_caller]
fn check(command: &PortCommand, set: u8, number: u8, payload: &str) {
    let bytes = command.bytes().unwrap();
    let size = 20 + payload.len() / 2;
    let head = format!(
        "444f544e45545f4950435f563100{:02x}{:02x}{set:02x}{number:02x}0000",
        size % 256,
        size / 256
    );
    assert_eq!(hex(&bytes), head + payload);
}

#[test]
fn commands_are_encoded_as_runtimes_expect() {
    check(&PortCommand::ProcessInfo { is_second: false }, 4, 0, "");
    check(&PortCommand::ProcessInfo { is_second: true }, 4, 4, "");
    check(&PortCommand::Resume, 4, 1, "");
    check(
        &PortCommand::SetEnvironment {
            name: "A",
            value: None,
        },
        4,
        3,
        "020000004100000000000000",
    );
    check(
        &PortCommand::SetEnvironment {
            name: "A",
            value: Some(""),
        },
        4,
        3,
        "0200000041000000010000000000",
    );
    check(&PortCommand::Stop(0x0102), 2, 1, "0201000000000000");
    let provider = RecordedProvider {
        name: "P".into(),
        keywords: 0x38,
        level: 5,
        arguments: String::new(),
    };
    let other = RecordedProvider {
        arguments: "a".into(),
        ..provider.clone()
    };
    let request = RecordingRequest {
        providers: vec![provider, other],
        buffer_mb: 256,
    };
    let one = "3800000000000000050000000200000050000000";
    let text = format!("00010000010000000102000000{one}00000000{one}0200000061000000");
    check(&PortCommand::Collect(&request), 2, 3, &text);
}

#[test]
fn a_message_fits_its_size_field() {
    let provider = RecordedProvider {
        name: "x".repeat(40_000),
        keywords: 0,
        level: 0,
        arguments: String::new(),
    };
    let request = RecordingRequest {
        providers: vec![provider],
        buffer_mb: 1,
    };
    assert!(PortCommand::Collect(&request).bytes().is_err());
}

#[test]
fn truncated_process_information_is_rejected() {
    let mut payload = 7u64.to_le_bytes().to_vec();
    payload.extend([9; 16]);
    for text in ["/usr/bin/dotnet App.dll", "Linux", "x64", "App", "10.0.12"] {
        push_text(&mut payload, Some(text));
    }
    let info = ProcessInfo::parse(&payload, true).unwrap();
    assert_eq!(info.command_line, "/usr/bin/dotnet App.dll");
    assert_eq!(info.entry.as_deref(), Some("App"));
    assert_eq!(info.runtime.as_deref(), Some("10.0.12"));
    for length in 0..payload.len() {
        assert!(
            ProcessInfo::parse(&payload[..length], true).is_err(),
            "{length} bytes"
        );
    }
    assert_eq!(ProcessInfo::parse(&payload, false).unwrap().entry, None);
}
