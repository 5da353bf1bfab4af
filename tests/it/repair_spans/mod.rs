//! `convert --repair`: traces of spans written again with the callers that truncated stacks lack.

use crate::common::packing::gzip;
use crate::common::shared;
use dotspot::testing::importers::FORMATS;
use dotspot::testing::input::{Input, Progress};
use dotspot::testing::repair::{Counts, RewriteError, examine};
use std::fs;
use std::io::{Cursor, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

mod recordings;
use crate::common::trace_players::{Player, Span, check_times, play, spans};

/// Repairs in memory: the file that is written, what was found, and how many spans were joined.
fn repaired(format: &str, bytes: &[u8], gap_us: u64) -> Result<(String, Counts, u64), String> {
    let format = FORMATS.iter().find(|known| known.name == format).unwrap();
    let open = || {
        Input::stream(
            "a.json",
            Box::new(Cursor::new(bytes.to_vec())),
            Progress::default(),
        )
        .unwrap()
    };
    let mut examined = examine(open(), format).map_err(|error| error.to_string())?;
    let mut out = Vec::new();
    match examined.rewrite(open(), open(), gap_us * 1000, &mut out) {
        Ok(done) => Ok((
            String::from_utf8_lossy(&out).into_owned(),
            examined.counts().clone(),
            done.joined,
        )),
        Err(RewriteError::Read(error)) => Err(error.to_string()),
        Err(RewriteError::Write(error)) => panic!("{error}"),
    }
}

/// The frames of the traces below: a letter, how its name is spelled, its module.
const FRAMES: &[(&str, &str, &str)] = &[
    ("P", "Process64 app (7) Args: ", ""),
    ("N", "(Non-Activities)", ""),
    ("S", "Threads", ""),
    ("T", "Thread (7)", ""),
    ("A", r"App.Run\u003cint\u003e()", "App"),
    ("B", r"App.B(class \u0027x\u0027)", "App"),
    ("C", "App.C()", "App"),
    ("D", "App.D()", "App"),
    ("E", "App.E()", "App"),
    ("F", "App.F()", "Lib"),
    ("G", "App.G()", "Lib"),
    ("U", "App.U()", "Lib"),
    ("V", "App.V()", "Lib"),
    ("W", "App.W()", "Lib"),
    ("X", "App.X()", "Lib"),
    ("Y", "App.Y()", "Lib"),
    ("Z", "App.Z()", "Lib"),
    ("cpu", "CPU_TIME", ""),
];

/// The events that lines such as `100 -cpu +F` stand for: a time as the file spells it, then what opens and closes.
fn events(lines: &[String], spell: impl Fn(bool, usize, &str) -> String) -> String {
    let mut events = Vec::new();
    for line in lines {
        let mut words = line.split(' ');
        let at = words.next().unwrap();
        for word in words {
            let (does, frame) = word.split_at(1);
            let frame = FRAMES
                .iter()
                .position(|(letter, ..)| *letter == frame)
                .unwrap();
            events.push(spell(does == "+", frame, at));
        }
    }
    events.join(", ")
}

fn chromium_events(lines: &[String]) -> String {
    events(lines, |opens, frame, at| {
        let (phase, name) = (if opens { "B" } else { "E" }, FRAMES[frame].1);
        format!(
            r#"{{"name": "{name}", "cat": "sampleEvent", "ph": "{phase}", "ts": {at}, "pid": 0, "tid": 7, "sf": {frame}}}"#
        )
    })
}

/// The lines of trace events as they are written: what begins where something ends does so two steps of a float later.
fn apart(lines: &[String]) -> Vec<String> {
    let line = |line: &String| {
        let words: Vec<&str> = line.split(' ').collect();
        let begins = words
            .iter()
            .position(|word| word.starts_with('+'))
            .filter(|first| *first > 1);
        let Some(begins) = begins else {
            return vec![line.clone()];
        };
        // there are no signs and no zeros
        let later = f64::from_bits(words[0].parse::<f64>().unwrap().to_bits() + 2);
        vec![
            words[..begins].join(" "),
            format!("{later} {}", words[begins..].join(" ")),
        ]
    };
    lines.iter().flat_map(line).collect()
}

/// A file as TraceEvent writes it, with more text behind the last event.
fn chromium(lines: &[String], more: &str) -> String {
    let frames: Vec<String> = FRAMES
        .iter()
        .enumerate()
        .map(|(row, (_, name, module))| {
            format!(r#""{row}": {{"name": "{name}", "category": "{module}"}}"#)
        })
        .collect();
    let (events, frames) = (chromium_events(lines), frames.join(", "));
    format!(
        r#"{{"otherData": {{ "name": "t" }}, "traceEvents": [{events}{more}], "displayTimeUnit": "ms", "stackFrames": {{{frames}}}}}"#
    )
}

fn speedscope(lines: &[String]) -> String {
    let frames: Vec<String> = FRAMES
        .iter()
        .map(|(_, name, _)| format!(r#"{{ "name": "{name}" }}"#))
        .collect();
    let events = events(lines, |opens, frame, at| {
        format!(
            r#"{{ "type": "{}", "frame": {frame}, "at": {at} }}"#,
            if opens { "O" } else { "C" }
        )
    });
    let schema = "https://www.speedscope.app/file-format-schema.json";
    let frames = frames.join(", ");
    format!(
        r#"{{"exporter": "t", "$schema": "{schema}", "shared": {{ "frames": [ {frames}] }}, "profiles": [ {{ "type": "evented", "name": "Thread (7)", "unit": "microseconds", "startValue": 0, "endValue": 1, "events": [ {events}]}}]}}"#
    )
}

/// How often the stacks below are cut. A limit that no recorder is known for has to be met so often.
const CUTS: u64 = 20;
/// The line in which all ends.
const END: usize = 41;

/// A program that is in A, B, C, D, E all the time, and now and then in F and G below them: the lines at the start, in front
/// of each cut, behind it and at the end.
fn program(cut: &'static str, whole: &'static str) -> Vec<String> {
    let line = |row: usize| match row {
        0 => "0 +P +N +S +T +A +B +C +D +E +cpu".into(),
        // other ways to write a number
        2 => format!("200.250 {whole}"),
        4 => format!("4e2 {whole}"),
        END => "4100 -cpu -E -D -C -B -A -T -S -N -P".into(),
        row if row % 2 == 1 => format!("{row}00 {cut}"),
        row => format!("{row}00 {whole}"),
    };
    (0..=END).map(line).collect()
}

/// The program when stacks are cut at 6 frames.
fn cut_trace() -> Vec<String> {
    program(
        "-cpu -E -D -C -B -A +B +C +D +E +F +G +cpu",
        "-cpu -G -F -E -D -C -B +A +B +C +D +E +cpu",
    )
}

/// The same when they are not cut.
fn mended_trace() -> Vec<String> {
    program("-cpu +F +G +cpu", "-cpu -G -F +cpu")
}

/// Where the cut stacks begin B to E go on, and where they end A to E.
const JOINED: u64 = CUTS * 4 + CUTS * 5;

/// Lines of another trace with one of them replaced.
fn with(mut lines: Vec<String>, row: usize, new: &[&str]) -> Vec<String> {
    lines.splice(row..=row, new.iter().map(ToString::to_string));
    lines
}

/// Compares two long texts.
#[track_caller]
fn same(found: &str, expect: &str) {
    if let Some(at) = found.bytes().zip(expect.bytes()).position(|(a, b)| a != b) {
        let part = |text: &str| {
            text.get(at.saturating_sub(300)..)
                .map(|text| text.chars().take(600).collect::<String>())
        };
        panic!("at {at}:\n{:?}\n{:?}", part(found), part(expect));
    }
    assert_eq!(found.len(), expect.len());
}

#[track_caller]
fn check(input: &[String], gap_us: u64, expect: &[String], truncated: u64, joined: u64) {
    let counts = Counts {
        limit: Some(6),
        truncated,
        repaired: CUTS,
        depth_uncertain: 0,
        odd: Vec::new(),
    };
    let (found, found_counts, found_joined) =
        repaired("trace-event", chromium(input, "").as_bytes(), gap_us).unwrap();
    assert_eq!((&found_counts, found_joined), (&counts, joined));
    same(&found, &chromium(&apart(expect), ""));
    let (found, found_counts, found_joined) =
        repaired("speedscope", speedscope(input).as_bytes(), gap_us).unwrap();
    assert_eq!((found_counts, found_joined), (counts, joined));
    same(&found, &speedscope(expect));
}

#[test]
fn callers_are_put_back_and_spans_go_on() {
    check(&cut_trace(), 50, &mended_trace(), CUTS, JOINED);
    check(&cut_trace(), 0, &mended_trace(), CUTS, JOINED);
}

#[test]
fn spans_are_joined_over_small_gaps() {
    let cut_at = |at| with(cut_trace(), 1, &["100 -cpu -E -D -C -B -A", at]);
    let joined_at = |at| with(mended_trace(), 1, &["100 -cpu", at]);
    let apart_at = |at| with(mended_trace(), 1, &["100 -cpu -E -D -C -B -A", at]);
    let fifty = cut_at("150 +B +C +D +E +F +G +cpu");
    check(&fifty, 50, &joined_at("150 +F +G +cpu"), CUTS, JOINED);
    check(
        &fifty,
        49,
        &apart_at("150 +A +B +C +D +E +F +G +cpu"),
        CUTS,
        JOINED - 4,
    );
    // times as fine as nanoseconds
    let fine = cut_at("150.001 +B +C +D +E +F +G +cpu");
    check(
        &fine,
        50,
        &apart_at("150.001 +A +B +C +D +E +F +G +cpu"),
        CUTS,
        JOINED - 4,
    );
}

#[test]
fn each_gap_counts_for_itself() {
    // what ends step by step, as spans of rounded times do
    let steps = with(
        cut_trace(),
        1,
        &[
            "100 -cpu",
            "110 -E -D",
            "120 -C -B -A",
            "161 +B +C +D +E +F +G +cpu",
        ],
    );
    let expect = with(
        mended_trace(),
        1,
        &["100 -cpu", "110 -E -D", "161 +D +E +F +G +cpu"],
    );
    check(&steps, 50, &expect, CUTS, JOINED - 2);
    // leaves are not joined, so that the time that they tell stays
    let leaves = ["0 +P +N +S +T +A +B +C +D +E +cpu", "50 -cpu", "60 +cpu"];
    check(
        &with(cut_trace(), 0, &leaves),
        50,
        &with(mended_trace(), 0, &leaves),
        CUTS,
        JOINED,
    );
}

#[test]
fn what_fits_nowhere_stays_as_it_is() {
    let odd = [
        "4100 -cpu -E -D -C -B -A +U +V +W +X +Y +Z +cpu",
        "4200 -cpu -Z -Y -X -W -V -U -T -S -N -P",
    ];
    check(
        &with(cut_trace(), END, &odd),
        50,
        &with(mended_trace(), END, &odd),
        CUTS + 1,
        JOINED,
    );
}

#[test]
fn spans_without_an_end_stay_open() {
    check(
        &cut_trace()[..END],
        50,
        &mended_trace()[..END],
        CUTS,
        JOINED,
    );
}

#[test]
fn other_threads_stay_as_they_are_spelled() {
    let other = concat!(
        ",\n\t{ \"ph\":\"B\",\"name\":\"CPU_TIME\", \"ts\":9.50 ,\"pid\":0,\"tid\":\"8\",\"sf\":17} , {\"ph\":\"M\"}\n,",
        "{ \"ph\":\"E\",\"name\":\"CPU_TIME\", \"ts\":1e1 ,\"pid\":0,\"tid\":\"8\",\"sf\":17}\n"
    );
    let (text, counts, joined) =
        repaired("trace-event", chromium(&cut_trace(), other).as_bytes(), 50).unwrap();
    assert_eq!((counts.repaired, joined), (CUTS, JOINED));
    same(&text, &chromium(&apart(&mended_trace()), other));
}

#[test]
fn an_array_may_lack_its_end() {
    for end in ["", "\n", ",\n", "]"] {
        let [text, expect] = [cut_trace(), apart(&mended_trace())]
            .map(|lines| format!("[\n{}{end}", chromium_events(&lines)));
        let found = repaired("trace-event", text.as_bytes(), 50).unwrap();
        same(&found.0, &expect);
        assert_eq!(found.2, JOINED, "{end:?}");
    }
}

/// A trace that is left as it is, for this reason if it is one of a thread.
#[track_caller]
fn untouched(format: &str, text: &str, odd: &[&'static str]) {
    let (found, counts, joined) = repaired(format, text.as_bytes(), 50).unwrap();
    same(&found, text);
    assert_eq!((counts.repaired, counts.odd, joined), (0, odd.to_vec(), 0));
}

#[test]
fn threads_that_are_not_like_traceevents_stay_as_they_are() {
    let crossed = with(
        cut_trace(),
        3,
        &["300 -cpu -D -E -C -B -A +B +C +D +E +F +G +cpu"],
    );
    untouched(
        "trace-event",
        &chromium(&crossed, ""),
        &["a span ends that is not the innermost"],
    );
    untouched(
        "speedscope",
        &speedscope(&crossed),
        &["a span ends that is not the innermost"],
    );
    let late = with(
        cut_trace(),
        4,
        &["299 -cpu -G -F -E -D -C -B +A +B +C +D +E +cpu"],
    );
    untouched(
        "trace-event",
        &chromium(&late, ""),
        &["its events are not in order of time"],
    );
    untouched(
        "speedscope",
        &speedscope(&late),
        &["its events are not in order of time"],
    );
    let mixed = "its events are in several places of the file";
    let other = |phase| {
        format!(r#", {{"name": "x", "ph": "{phase}", "ts": 1, "pid": 0, "tid": 9, "sf": 1}}, "#)
    };
    untouched(
        "trace-event",
        &chromium(
            &cut_trace(),
            &format!("{}{}", other("B"), chromium_events(&cut_trace())),
        ),
        &[mixed],
    );
    let complete = r#", {"name": "x", "ph": "X", "ts": 1, "dur": 5, "pid": 0, "tid": 7}"#;
    let reason = "it has events other than the begin and end of a span";
    untouched("trace-event", &chromium(&cut_trace(), complete), &[reason]);
    let text =
        chromium(&cut_trace(), "").replacen(r#""tid": 7"#, r#""tid": 7, "args": {"x": [1]}"#, 1);
    untouched(
        "trace-event",
        &text,
        &["its events have members that dotnet-trace does not write"],
    );
    let far =
        chromium(&cut_trace(), "").replacen(", {", &format!(", {}{{", " ".repeat(1_000_000)), 1);
    untouched(
        "trace-event",
        &far,
        &["an event, with the space before it, is longer than 1 MB"],
    );
    let text = speedscope(&cut_trace()).replace("microseconds", "bytes");
    untouched(
        "speedscope",
        &text,
        &["no unit of time comes before its times"],
    );
    let text = speedscope(&cut_trace()).replacen(r#""frame": 4"#, r#""frame": 99"#, 1);
    untouched(
        "speedscope",
        &text,
        &["an event lacks its frame or its time"],
    );
}

#[test]
fn whole_traces_stay_as_they_are() {
    for file in [
        "orderedconsume.chromium.json.gz",
        "orderedconsume.speedscope.json.gz",
        "cpubound.speedscope.json",
    ] {
        let Some(path) = shared(&format!("net10/{file}")) else {
            continue;
        };
        let text = recordings::text(&path);
        let format = if file.contains("chromium") {
            "trace-event"
        } else {
            "speedscope"
        };
        let (found, counts, joined) = repaired(format, text.as_bytes(), 50).unwrap();
        assert_eq!((counts, joined), (Counts::default(), 0));
        if format == "speedscope" {
            assert!(found == text, "{file} is the same");
        } else {
            only_times_differ(text.as_bytes(), found.as_bytes(), file);
        }
    }
}

/// Trace events that are the same but for less than a nanosecond, and of which speedscope complains no more.
#[track_caller]
fn only_times_differ(before: &[u8], after: &[u8], what: &str) {
    let (before, after) = (spans(before), spans(after));
    assert_eq!(before.len(), after.len(), "{what}");
    for (before, after) in before.iter().zip(&after) {
        let same = (&before.name, &before.ph, before.pid, before.tid)
            == (&after.name, &after.ph, after.pid, after.tid);
        assert!(
            same && (before.ts - after.ts).abs() < 0.001,
            "{what}: {before:?} and {after:?}"
        );
    }
    read_alike(&after, what);
}

/// Speedscope and those who keep the order of the file find the same times in trace events, and have nothing to complain of.
#[track_caller]
pub fn read_alike(events: &[Span], what: &str) {
    let [stable, speedscope] =
        [Player::Stable, Player::Speedscope].map(|player| play(events, player));
    for complaints in [&stable.complaints, &speedscope.complaints] {
        assert!(
            complaints.is_empty(),
            "{what}: {} complaints, such as {}",
            complaints.len(),
            complaints[0]
        );
    }
    check_times(&speedscope.times, &stable.times, Player::Speedscope, what);
}

#[test]
fn other_files_are_refused() {
    let check = |format: &str, text: &str, words: &[&str]| {
        let error = repaired(format, text.as_bytes(), 50).unwrap_err();
        words
            .iter()
            .for_each(|word| assert!(error.contains(word), "{word:?} is not in {error:?}"));
    };
    let none = [
        "expected spans of threads as dotnet-trace writes them",
        "--repair",
    ];
    check(
        "trace-event",
        r#"[{"name": "a", "ph": "B", "ts": 1, "pid": 0, "tid": 7, "sf": 0}]"#,
        &none,
    );
    check("trace-event", "{}", &none);
    check(
        "speedscope",
        r#"{"shared": {"frames": [{"name": "a"}]}, "profiles": []}"#,
        &none,
    );
    check(
        "speedscope",
        r#"{"profiles": []}"#,
        &["the member `shared` before `profiles`"],
    );
    check("trace-event", "[{]", &["at byte 2", "a member's name"]);
    let text = chromium(&cut_trace(), "");
    for end in (1..text.len()).step_by(197) {
        check(
            "trace-event",
            &text[..end],
            &[&format!("at byte {end}"), "breaks off", "write it again"],
        );
    }
}

#[test]
fn damaged_files_never_panic_and_what_is_written_is_as_nested_as_what_was_read() {
    let mut x: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut next = |bound: usize| {
        x = x
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (x >> 33) as usize % bound
    };
    let mut written = 0;
    for (format, text) in [
        ("trace-event", chromium(&cut_trace(), "")),
        ("speedscope", speedscope(&cut_trace())),
    ] {
        for _ in 0..100 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..=next(3) {
                let at = next(bytes.len());
                bytes[at] = b"0123456789+-.eE\"{}[],:BOC x\\\xff"[next(29)];
            }
            let Ok((found, counts, _)) = repaired(format, &bytes, 50) else {
                continue;
            };
            written += 1;
            match counts.repaired {
                0 => assert!(found.as_bytes() == String::from_utf8_lossy(&bytes).as_bytes()),
                _ => drop(serde_json::from_str::<serde::de::IgnoredAny>(&found).unwrap()),
            }
        }
    }
    assert!(written > 25, "{written}");
}

#[test]
fn a_chain_of_many_frames_takes_linear_time() {
    const DEPTH: usize = 50_000;
    let event =
        |phase, frame, at| format!(r#"{{"type": "{phase}", "frame": {frame}, "at": {at}}}"#);
    let frames = r#"{"name": "Thread (7)"}, {"name": "a"}, {"name": "CPU_TIME"}"#;
    let mut events: Vec<String> = (0..DEPTH)
        .map(|at| event("O", usize::from(at > 0), at))
        .collect();
    events.extend([event("O", 2, DEPTH), event("C", 2, DEPTH + 9)]);
    events.extend(
        (0..DEPTH)
            .rev()
            .map(|level| event("C", usize::from(level > 0), 3 * DEPTH - level)),
    );
    let events = events.join(",");
    let text = format!(
        r#"{{"shared": {{"frames": [{frames}]}}, "profiles": [{{"type": "evented", "name": "t", "unit": "microseconds", "events": [{events}]}}]}}"#
    );
    untouched("speedscope", &text, &[]);
}

fn dotspot(args: &[&str], stdin: Option<&[u8]>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dotspot"));
    command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // who does not read it closes it
    let _ = pipe.write_all(stdin.unwrap_or_default());
    drop(pipe);
    child.wait_with_output().unwrap()
}

#[track_caller]
fn runs(args: &[&str], stdin: Option<&[u8]>, code: i32, out: &str, words: &[&str]) {
    let output = dotspot(args, stdin);
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {err}");
    assert!(
        output.stdout == out.as_bytes(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stdout)
    );
    words
        .iter()
        .for_each(|word| assert!(err.contains(word), "{args:?}: {word:?} is not in {err:?}"));
}

#[test]
fn the_command_writes_files_streams_and_sentences() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let text = |path: &Path| path.to_str().unwrap().to_string();
    let [cut, packed, out, packed_out] = [
        "a.chromium.json",
        "b.chromium.json.gz",
        "c.chromium.json",
        "d.chromium.json.gz",
    ]
    .map(place);
    fs::write(&cut, chromium(&cut_trace(), "")).unwrap();
    fs::write(&packed, gzip(chromium(&cut_trace(), "").as_bytes())).unwrap();
    let (cut, packed) = (text(&cut), text(&packed));
    let said = "dotspot: 20 stacks truncated at 6 frames: 20 repaired, 0 left unrepaired; 180 spans joined; \
                80 events moved by less than 1 ns, to keep ends and begins apart\n";
    let expect = chromium(&apart(&mended_trace()), "");

    let wrote = format!("dotspot: wrote {} (trace-event): ", out.display());
    runs(
        &["convert", "--repair", &cut, "-o", &text(&out)],
        None,
        0,
        "",
        &[said, &wrote],
    );
    assert_eq!(fs::read_to_string(&out).unwrap(), expect);
    runs(
        &["convert", "--repair", &cut, "-o", &text(&out)],
        None,
        1,
        "",
        &["exists already; name another file"],
    );
    runs(
        &[
            "convert",
            "--repair",
            &packed,
            "-o",
            &text(&out),
            "--force",
            "--join-gap",
            "0",
        ],
        None,
        0,
        "",
        &[said],
    );
    assert_eq!(fs::read_to_string(&out).unwrap(), expect);
    runs(
        &["convert", "--repair", &packed, "-o", &text(&packed_out)],
        None,
        0,
        "",
        &[said],
    );
    let mut unpacked = String::new();
    let file = fs::File::open(&packed_out).unwrap();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(file), &mut unpacked).unwrap();
    assert_eq!(unpacked, expect);
    // onto itself
    runs(
        &["convert", "--repair", &packed, "-o", &packed, "--force"],
        None,
        0,
        "",
        &[said],
    );

    runs(&["convert", "--repair", &cut], None, 0, &expect, &[said]);
    runs(
        &[
            "convert",
            "--repair",
            &cut,
            "--to",
            "trace-event",
            "--stdout",
        ],
        None,
        0,
        &expect,
        &[said],
    );
    runs(
        &["convert", "--repair", "-"],
        Some(&gzip(chromium(&cut_trace(), "").as_bytes())),
        0,
        &expect,
        &[said],
    );
    let whole = speedscope(&mended_trace());
    let unchanged = "dotspot: no stack is truncated: the trace is written unchanged\n";
    runs(
        &["convert", "--repair", "-"],
        Some(whole.as_bytes()),
        0,
        &whole,
        &[unchanged],
    );
    let crossed = chromium(
        &with(
            cut_trace(),
            3,
            &["300 -cpu -D -E -C -B -A +B +C +D +E +F +G +cpu"],
        ),
        "",
    );
    let others =
        "dotspot: no stack of the other threads is truncated: the trace is written unchanged\n";
    let warning =
        "dotspot: warning: 1 thread left as in the file: a span ends that is not the innermost.\n";
    runs(
        &["convert", "--repair", "-"],
        Some(crossed.as_bytes()),
        0,
        &crossed,
        &[warning, others],
    );
}

#[test]
fn wrong_usage_and_wrong_files_write_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("a.chromium.json");
    fs::write(&cut, chromium(&cut_trace(), "")).unwrap();
    let cut = cut.to_str().unwrap();
    let out = folder.path().join("out.speedscope.json");
    let out = out.to_str().unwrap();
    let sample = "snapshots/js-ordered-consume.nettrace";
    runs(
        &["convert", "--repair", sample],
        None,
        2,
        "",
        &["--repair is for", "is nettrace", "leave it out"],
    );
    runs(
        &["convert", "--repair", cut, "--no-repair"],
        None,
        2,
        "",
        &["--no-repair"],
    );
    runs(
        &["convert", "--repair", cut, "--metric", "CPU"],
        None,
        2,
        "",
        &["--metric"],
    );
    runs(
        &["convert", cut, "--join-gap", "5"],
        None,
        2,
        "",
        &["--repair"],
    );
    runs(
        &["convert", "--repair", cut, "--join-gap=-5"],
        None,
        2,
        "",
        &["--join-gap"],
    );
    let other =
        ["writes the format that it reads, which is trace-event, and speedscope was asked for"];
    runs(
        &["convert", "--repair", cut, "--to", "speedscope"],
        None,
        2,
        "",
        &other,
    );
    runs(
        &["convert", "--repair", cut, "-o", out],
        None,
        2,
        "",
        &other,
    );
    let half = &chromium(&cut_trace(), "")[..2000];
    let broken = [
        "standard input: Chromium trace-event JSON, member `traceEvents`",
        "byte 2000",
        "breaks off",
    ];
    let place = folder.path().join("half.chromium.json");
    runs(
        &["convert", "--repair", "-", "-o", place.to_str().unwrap()],
        Some(half.as_bytes()),
        1,
        "",
        &broken,
    );
    runs(
        &["convert", "--repair", "missing.chromium.json"],
        None,
        1,
        "",
        &["can't be opened", "check the path"],
    );
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        1,
        "nothing was written"
    );
}
