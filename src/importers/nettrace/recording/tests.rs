use super::*;

fn content(ticks_per_second: u64, pointer_bytes: u32) -> [u8; 48] {
    let mut bytes = Vec::new();
    for part in [2026u16, 11, 6, 21, 9, 23, 48, 367] {
        bytes.extend(part.to_le_bytes());
    }
    bytes.extend(1000u64.to_le_bytes());
    bytes.extend(ticks_per_second.to_le_bytes());
    for part in [pointer_bytes, 11036, 2, 1_000_000] {
        bytes.extend(part.to_le_bytes());
    }
    bytes.try_into().unwrap()
}

#[test]
fn the_header_is_read() {
    let header = TraceHeader::parse(&content(1_000_000_000, 8), false).unwrap();
    assert_eq!(
        (header.start_ticks, header.ticks_per_second),
        (1000, 1_000_000_000)
    );
    assert_eq!(
        (header.pointer_bytes, header.process_id, header.processors),
        (8, Some(11036), Some(2))
    );
    assert_eq!(header.sample_nanoseconds, None);
    assert_eq!(header.started, "2026-11-21T09:23:48.367Z");
}

#[test]
fn absurd_headers_are_rejected() {
    assert_eq!(
        TraceHeader::parse(&content(1, 3), false),
        Err("expected a pointer size of 4 or 8, found 3".into())
    );
    assert_eq!(
        TraceHeader::parse(&content(0, 8), false),
        Err("expected a number of ticks per second, found 0".into())
    );
    assert!(TraceHeader::parse(&content(u64::MAX, 8), false).is_err());
}

#[test]
fn process_info_is_read_in_both_versions() {
    let text = |text: &str| {
        text.encode_utf16()
            .chain([0])
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<u8>>()
    };
    let mut process = TracedProcess::default();
    process.read(&text("dotnet a.dll")).unwrap();
    assert_eq!(
        (
            process.command_line.as_str(),
            process.operating_system.as_str()
        ),
        ("dotnet a.dll", "")
    );
    process
        .read(&[text("dotnet b.dll"), text("Linux"), text("x64")].concat())
        .unwrap();
    assert_eq!(
        (
            process.operating_system.as_str(),
            process.architecture.as_str()
        ),
        ("Linux", "x64")
    );
    assert_eq!(process.read(b"x"), None);
}

#[test]
fn the_runtime_is_named() {
    let payload = |version: [u16; 3]| {
        [[0, 2].as_slice(), &version, &[0; 5]]
            .concat()
            .into_iter()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<u8>>()
    };
    let mut process = TracedProcess::default();
    process.read_runtime(&payload([10, 0, 12])).unwrap();
    assert_eq!(process.runtime, ".NET 10.0.12");
    process.read_runtime(&payload([4, 0, 0])).unwrap();
    assert_eq!(process.runtime, ".NET Core 3");
}

#[test]
fn zero_is_the_start_of_the_session() {
    // 100 ns per tick
    for (start_ticks, first_event, ticks, expect) in [
        (1000, 1003, 1010, 1000),
        (1000, 1003, 1003, 300),
        // unknown or wrong: the first event
        (0, 1003, 1010, 700),
        (2000, 1003, 1003, 0),
    ] {
        let header = TraceHeader {
            start_ticks,
            ticks_per_second: 10_000_000,
            ..TraceHeader::default()
        };
        let found = header.clock(first_event).time_ns(ticks);
        assert_eq!(found, expect, "{start_ticks} {first_event} {ticks}");
    }
}

#[test]
fn samples_are_sorted_by_time() {
    let mut recording =
        NettraceRecording::new(TraceHeader::parse(&content(1, 8), false).unwrap(), false);
    // the third group violates the guarantee; threads are numbered in file order
    for (thread, time) in [(0, 3), (1, 1), (2, 3), (3, 7), (4, 5), (5, 6), (6, 5)] {
        let kind = LogKind::Managed as u8;
        let sample = IntervalSample::new(time, RawNode(0), thread, kind);
        recording.samples.push(sample);
        if [2, 4].contains(&thread) {
            recording.sequence_point();
        }
    }
    recording.finish();
    let order: Vec<usize> = recording.samples.iter().map(IntervalSample::lane).collect();
    assert_eq!(order, [1, 0, 2, 4, 6, 5, 3]);
}
