use super::*;

#[test]
fn every_option_has_a_text_with_its_arguments_in_order() {
    let pages = pages(crate::cli::args::command());
    let page = |name: &str| &pages.iter().find(|(page, _)| page == name).unwrap().1;
    for (name, text) in &pages {
        let lines: Vec<&str> = text.lines().collect();
        for option in lines.windows(3).filter(|lines| lines[0] == ".TP") {
            assert!(
                !option[2].is_empty() && option[2] != ".TP",
                "{name}: {option:?}"
            );
        }
        assert!(!text.contains(".SH EXTRA"), "{name}");
    }
    assert!(page("dotspot-callers.1").contains("[OPTIONS] <FILE> <METHOD>\n"));
    let exits = page("dotspot.1");
    assert!(
        exits.contains(".SH NOTES\nExit codes:\n.br\n   0  success, "),
        "{exits}"
    );
    let compare = page("dotspot-compare.1");
    assert!(compare.contains(SOURCE), "{compare}");
    assert!(compare.contains("\n.br\nExit code 3"), "{compare}");
}
