use super::*;
use crate::input::Failure;
use crate::model::testing::recording_of;
use crate::names::FrameKind;

fn format(name: &'static str, sniff: fn(&Head) -> Option<Confidence>) -> Format {
    let read = |input: Input, _: &ReadOptions| {
        Err(Failure::new(&input.name, "", "is only sniffed").into())
    };
    Format {
        name,
        title: "a format",
        extensions: &[],
        metrics: "",
        limitations: "",
        sniff,
        read,
    }
}

#[test]
fn equally_likely_formats_are_named() {
    let all = [
        format("one", |_| Some(Confidence::Likely)),
        format("two", |_| Some(Confidence::Likely)),
        format("three", |_| Some(Confidence::Name)),
        format("four", |_| None),
    ];
    let head = Head {
        bytes: b"",
        name: "",
    };
    let (format, title, others) = ("one".into(), "a format".into(), vec!["two".into()]);
    let expect = Diagnostic::FormatUncertain {
        format,
        title,
        others,
    };
    assert_eq!(format_uncertainty(&all[0], &all, &head), Some(expect));
    assert_eq!(format_uncertainty(&all[2], &all[2..], &head), None);
}

/// dotspot writes such a name; formats without frame kinds read it back as a method.
#[test]
fn marker_frames_in_files_are_recognized_by_name() {
    let marked = Synthetic::Truncated { limit: 100 };
    for (kind, name, expect) in [
        (FrameKind::Special, marked.name(), Some(marked)),
        (
            FrameKind::Special,
            "[truncated at 7 frames]".into(),
            Some(Synthetic::Truncated { limit: 7 }),
        ),
        (FrameKind::Method, marked.name(), Some(marked)),
        (
            FrameKind::Special,
            "[truncated at some frames]".into(),
            None,
        ),
        (FrameKind::Special, "[native code]".into(), None),
        (
            FrameKind::Thread,
            Synthetic::MergedThreads {
                count: 3,
                are_pool: false,
            }
            .name(),
            None,
        ),
    ] {
        let mut recording = recording_of("main;A 1");
        let frame = Arc::make_mut(&mut recording.frames).intern(kind, &name, "");
        recognize_markers(&mut recording);
        assert_eq!(recording.frames.synthetic(frame), expect, "{kind:?} {name}");
        assert_eq!(
            recording.frames.is_truncated(frame),
            expect.is_some(),
            "{kind:?} {name}"
        );
    }
}
