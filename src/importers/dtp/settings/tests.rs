use super::*;
#[cfg(target_os = "linux")]
use crate::diagnostics::Diagnostic;

fn parsed(entries: &str) -> StoredSums {
    let mut settings = StoredSums::default();
    settings
        .parse(&format!(
            "\u{feff}<wpf:ResourceDictionary>{entries}</wpf:ResourceDictionary>"
        ))
        .unwrap();
    settings
}

#[test]
fn sums_of_functions() {
    let settings = parsed(
        r#"<s:String x:Key="/Default/HotspotsPrecomputing/VirtualFunctionsList/=A_00601_002ERun_005Fit/@EntryIndexedValue">&lt;data&gt;&lt;Implementations&gt;&lt;Implementation FuId="0x005000FE" OwnTime="5" SysTime="1" TotalTime="7" /&gt;&lt;Implementation FuId="0x00500001" OwnTime="18446744073709551615" SysTime="1" TotalTime="18446744073709551616" /&gt;&lt;/Implementations&gt;&lt;/data&gt;</s:String>"#,
    );
    let declaration = Arc::from("A`1.Run_it");
    assert_eq!(
        settings.sums,
        [SettingsSum {
            function: 0x50_00FE,
            declaration,
            own: 5,
            total: 7
        }]
    );
    assert_eq!(
        settings.broken_sums, 1,
        "the second has a total that no time has"
    );
}

#[cfg(target_os = "linux")]
fn sentences(warnings: Warnings) -> Vec<String> {
    warnings
        .into_vec()
        .iter()
        .map(Diagnostic::to_string)
        .collect()
}

#[test]
fn names_with_escaped_characters() {
    #[track_caller]
    fn check(name: &str, expect: &str) {
        assert_eq!(unescaped(name), expect);
    }
    check(
        "sly_002Eparser_002EParser_00602_002E_002Ector",
        "sly.parser.Parser`2..ctor",
    );
    check("a_b__c_12", "a_b__c_12");
    check("_D83D_DE42_", "🙂_");
    check("_D83D", "\u{fffd}");
    check("_00ä0 値_5024", "_00ä0 値値");
    check("", "");
}

// other file systems ignore case in its name
#[cfg(target_os = "linux")]
#[test]
fn damage_is_reported_and_the_rest_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("s.dtp");
    let read = |bytes: &[u8]| {
        std::fs::write(folder.path().join("s.dtp.dotsettings"), bytes).unwrap();
        let mut warnings = Warnings::default();
        let sums = StoredSums::next_to(&index, &mut warnings).sums.len();
        (sums, sentences(warnings).join("; "))
    };
    #[track_caller]
    fn check((sums, warnings): (usize, String), expect: usize, words: &str) {
        assert_eq!(sums, expect);
        assert!(
            warnings.contains(words) && warnings.is_empty() == words.is_empty(),
            "{warnings}"
        );
    }
    let mut none = Warnings::default();
    assert_eq!(StoredSums::next_to(&index, &mut none).sums, []);
    assert_eq!(none.into_vec(), [], "there is no such file");
    let row = r#"&lt;Implementation FuId="0x1" OwnTime="1" TotalTime="2" /&gt;"#;
    let entry = format!(r#"<a><s:String x:Key="{SUMS}=A/@V">{row}</s:String>"#);
    check(read(entry.as_bytes()), 1, "");
    check(
        read(format!("{entry}</b>").as_bytes()),
        1,
        "s.dtp.dotsettings: its XML breaks off at byte",
    );
    check(read(b"\xFF\xFE<\0"), 0, "UTF-8 was expected, and at byte 0");
    check(read(b""), 0, "");
    check(
        read(&vec![b' '; 16 * 1024 * 1024 + 1]),
        0,
        "has more than 16.8 MB",
    );
    let comment = r#"<a><s:String x:Key="/Default/Comment/@EntryValue">x</s:String>"#;
    check(read(comment.as_bytes()), 0, "");
    let sums =
        format!(r#"<s:String x:Key="{SUMS}=A/@V">&lt;Implementation /&gt;&lt;/x&gt;</s:String>"#);
    check(read(sums.as_bytes()), 0, "2 sums of dotTrace can't be read");
    check(
        read("<".repeat(100_000).as_bytes()),
        0,
        "its XML breaks off",
    );
    check(read("<a>".repeat(100_000).as_bytes()), 0, "");
    std::fs::remove_file(folder.path().join("s.dtp.dotsettings")).unwrap();
    std::fs::create_dir(folder.path().join("s.dtp.DotSettings")).unwrap();
    let mut warnings = Warnings::default();
    StoredSums::next_to(&index, &mut warnings);
    assert!(sentences(warnings)[0].contains("is no file"));
}
