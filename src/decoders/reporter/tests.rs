use super::*;

#[test]
fn a_rejection_names_the_option_first() {
    #[track_caller]
    fn check(line: &str, expect: &[&str]) {
        let found: Vec<&str> = EXTRAS
            .iter()
            .map(|(option, _)| *option)
            .filter(|option| rejects(line, option))
            .collect();
        assert_eq!(found, expect, "{line}");
    }
    check("Unknown option: --save-signature", &["--save-signature"]);
    check("Option 'save-signature' is unknown.", &["--save-signature"]);
    check(
        "ERROR: Unrecognized argument --no-check-for-updates",
        &["--no-check-for-updates"],
    );
    check(
        "The --no-check-for-updates option is not supported.",
        &["--no-check-for-updates"],
    );
    check(
        "Unknown option --pattern. Known ones: --save-signature, --no-check-for-updates",
        &[],
    );
    check(
        "usage: Reporter report FILE [--save-signature] [--no-check-for-updates]",
        &[],
    );
    check(
        "  --save-signature        writes signatures of methods",
        &[],
    );
    check("  --no-check-for-updates  does not look for updates", &[]);
    check("Unknown error", &[]);
}

#[test]
fn names_of_files_say_nothing_about_timelines() {
    let settings = DecoderSettings::new(super::super::Environment::here());
    let reporter = Reporter {
        path: "/opt/timeline/Reporter.exe".into(),
        version: String::new(),
    };
    let check = |line: &str, expect: bool| {
        let job = ReporterJob {
            file: "a".into(),
            snapshot: Path::new("/data/Timeline/my timeline.dtp"),
            reporter: &reporter,
            settings: &settings,
            progress: &Progress::default(),
            folder: Path::new("/tmp/timeline/dotspot-x"),
        };
        assert_eq!(job.is_about_timelines(line), expect, "{line}");
    };
    check("Timeline snapshots are not supported", true);
    check(
        "/data/Timeline/my timeline.dtp: this is a timeline snapshot",
        true,
    );
    check("Error: can't open /data/Timeline/my timeline.dtp", false);
    check("Error: 'my timeline.dtp' is damaged", false);
    check("Error: no such folder: /data/Timeline", false);
    check("Error: /opt/timeline/Reporter.exe needs .NET 8", false);
    check(
        "Error: /tmp/timeline/dotspot-x/report.xml can't be written",
        false,
    );
}
