//! A small snapshot, and checks of its modified copies.

use super::{assert_contains_all, assert_diagnostic, failure, good, read};
use crate::common::dtp_writer::{Function, Kind, Section, Snapshot, Thread, Type, one_file};
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::input::Stage;
use dotspot::testing::model::View;

/// A small sampling snapshot. Thread 1 is laid out so that its offsets are easy to name: a header of 15 bytes, then
/// nodes of 14 bytes in the order B (15), C (29), A (43), D (57), root (71), where A calls B and C, the root A and D.
/// Thread 2 has recursion, a function with two nodes, and one that needs section 0x0120.
pub fn small() -> Vec<Section> {
    let mut snapshot = Snapshot::new(Kind::Sampling);
    let [a, b, c, d] =
        ["A", "B", "C", "D"].map(|name| snapshot.method(&format!("Acme!Acme.Book+Page.{name}")));
    let line = Type::Class("Other.Line".into());
    let other = snapshot.method_with(
        "Other!Other.T.Run",
        0,
        &[Type::Array(Box::new(line))],
        &Type::String,
    );
    snapshot.modules[1].id = 3000;
    let mut first = Thread::new(1, 2, "");
    let in_a = first.add(Thread::ROOT, a, 0, 2);
    first.add(in_a, b, 10, 1);
    first.add(in_a, c, 10, 1);
    first.add(Thread::ROOT, d, 10, 1);
    let mut second = Thread::new(2, 0, "Worker");
    let outer = second.add(Thread::ROOT, a, 1_000_000, 3);
    let inner = second.add(outer, a, 0, 2);
    second.add(inner, other, 10, 1);
    second.add(inner, b, 10, 1);
    second.add(Thread::ROOT, Function::Id(5), 10, 1);
    second.add(Thread::ROOT, b, 10, 1);
    snapshot.threads = vec![first, second];
    snapshot.sections()
}

/// The section with this id.
pub fn section(sections: &mut [Section], id: u16) -> &mut Section {
    sections
        .iter_mut()
        .find(|section| section.id == id)
        .unwrap()
}

/// Asserts that the changed small snapshot is refused with a sentence that contains these words.
#[track_caller]
pub fn check_sections(change: impl Fn(&mut Vec<Section>), stage: Stage, words: &[&str]) {
    let mut sections = small();
    change(&mut sections);
    let failure = failure(read(one_file(&sections)));
    assert_eq!(failure.stage, Some(stage), "{failure}");
    assert_contains_all(failure.to_string(), &["s.dtp", "dotTrace snapshot", "; "]);
    assert_contains_all(failure.to_string(), words);
}

/// Asserts that the changed small snapshot has the same tree and this warning.
#[track_caller]
pub fn check_warning(change: impl Fn(&mut Vec<Section>), expect: Diagnostic) -> View {
    let profile = check_one_warning(change);
    assert_eq!(profile.diagnostics, [expect]);
    profile
}

/// Like [`check_warning`], but by the warning's code and words in its data.
#[track_caller]
pub fn check_code(change: impl Fn(&mut Vec<Section>), code: &str, words: &[&str]) -> View {
    let profile = check_one_warning(change);
    assert_diagnostic(&profile.diagnostics[0], code, words);
    profile
}

#[track_caller]
fn check_one_warning(change: impl Fn(&mut Vec<Section>)) -> View {
    let full = good(read(one_file(&small())));
    assert_eq!(full.codes(), [""; 0]);
    let mut sections = small();
    change(&mut sections);
    let profile = good(read(one_file(&sections)));
    assert_eq!(profile.tree.len(), full.tree.len());
    assert_eq!(
        (profile.diagnostics.len(), profile.warnings().len()),
        (1, 1),
        "{:?}",
        profile.diagnostics
    );
    profile
}
