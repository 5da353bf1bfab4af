use super::*;

/// The kind, name and signature of a frame.
#[track_caller]
fn check(raw: &str, is_outermost: bool, expect: (FrameKind, &str, &str)) {
    let mut names = ReportNames::default();
    let id = names.add(raw.as_bytes(), is_outermost);
    let frame = names.frames.get(id);
    assert_eq!(
        (
            frame.kind,
            names.frames.name(id),
            names.frames.signature(id)
        ),
        expect,
        "{raw}"
    );
    assert_eq!(names.get(raw.as_bytes(), is_outermost), Some(id));
    assert_eq!(names.get(raw.as_bytes(), !is_outermost), None);
}

#[test]
fn frame_kinds_follow_from_names() {
    use FrameKind::{Method, Special, Thread};
    check(
        "Acme.Book+Page`1.Match",
        false,
        (Method, "Acme.Book+Page`1.Match", ""),
    );
    check(
        "Acme.Book..ctor(Int32, Page/Line)",
        true,
        (Method, "Acme.Book..ctor", "(Int32, Page/Line)"),
    );
    check(
        "Acme.&lt;&gt;c.&lt;Run&gt;b__0",
        false,
        (Method, "Acme.<>c.<Run>b__0", ""),
    );
    check("[Native code]", false, (Special, "[Native code]", ""));
    check("", true, (Special, "[No name]", ""));
    check("Thread #12", true, (Thread, "Thread #12", ""));
    check(
        "Thread 7 (.NET TP Worker)",
        true,
        (Thread, "Thread 7 (.NET TP Worker)", ""),
    );
    check("Main Thread", true, (Thread, "Main Thread", ""));
    check("Main Thread", false, (Method, "Main Thread", ""));
    check("Acme.Thread.Run", true, (Method, "Acme.Thread.Run", ""));
    check(
        "Thread.Run(Main thread)",
        true,
        (Method, "Thread.Run", "(Main thread)"),
    );
    check(
        "System.Threading.Thread",
        true,
        (Method, "System.Threading.Thread", ""),
    );
}

#[test]
fn threads_have_numbers_and_names() {
    #[track_caller]
    fn check(name: &str, id: &str, given: &str) {
        assert_eq!(
            thread_id_and_name(name),
            (id.to_string(), given.to_string()),
            "{name}"
        );
    }
    check("Thread 7 (.NET TP Worker)", "7", ".NET TP Worker");
    check("Thread #12", "12", "");
    check("Thread 3 (a (b))", "3", "a (b)");
    check("Main thread", "", "Main thread");
    check("Thread (", "", "Thread (");
}
