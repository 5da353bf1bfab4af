use super::*;
use crate::record::processes::Facts;

#[test]
fn lines_fit_the_terminal_whatever_processes_are_named() {
    let mut facts = Facts::default();
    facts.runtime = Some("10.0.0-preview.7.25380.108+".repeat(4));
    facts.user = Some("somebody".repeat(20));
    facts.arguments = vec!["dotnet".into(), "x".repeat(400)];
    let process = RunningProcess {
        pid: 4_194_304,
        name: "Shop\u{1b}[31m.".repeat(40),
        facts,
        obstacle: None,
    };
    for width in [80, 100, 200] {
        let mut out = Vec::new();
        let mut to = Printer {
            has_budget: false,
            is_ascii: false,
            out: &mut out,
            width: Some(width),
        };
        write_table(&mut to, std::slice::from_ref(&process)).unwrap();
        let out = String::from_utf8(out).unwrap();
        let longest = out.lines().map(crate::text::width).max();
        assert!(longest <= Some(width), "{width}:\n{out}");
        assert!(!out.contains('\u{1b}') && out.lines().count() == 2, "{out}");
        // a wide terminal has room for long names
        assert_eq!(out.matches("Shop").count() > 2, width == 200, "{out}");
    }
}
