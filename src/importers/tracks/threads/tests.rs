use super::*;

#[test]
fn processes_are_read_from_their_frames() {
    for (name, expect) in [
        (
            "Process64 dotnet (10741) Args: /app/CpuBound.dll 6 (1)",
            Some((10741, "dotnet")),
        ),
        (
            "Process64 Process(86295) (86295) Args: ",
            Some((86295, "Process(86295)")),
        ),
        ("Process32 my app (7) Args:", Some((7, "my app"))),
        ("Process app (7)", Some((7, "app"))),
        ("Process64 app", None),
        ("Processor.Run()", None),
        ("ProcessAll now (7)", None),
        ("App!Process.Run(int32) (7)", None),
    ] {
        let found = process_of(name);
        assert_eq!(
            found
                .as_ref()
                .map(|process| (process.id, process.name.as_str())),
            expect,
            "{name}"
        );
    }
}

#[test]
fn threads_are_read_from_their_frames() {
    for (title, id, name) in [
        ("Thread (9)", "9", ""),
        ("Thread (9) CPU=12ms", "9", ""),
        ("Thread (9) CPU=12ms (.NET ThreadPool)", "9", ".NET pool"),
        ("Thread (9) (Startup Thread)", "9", "Startup Thread"),
        ("Thread (", "", ""),
    ] {
        assert_eq!(
            thread_of(title),
            (id.to_string(), name.to_string()),
            "{title}"
        );
    }
}
