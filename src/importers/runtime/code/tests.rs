use super::*;

fn method(name: &str, start: u64, size: u32) -> Vec<u8> {
    let mut bytes = [1, 77, start]
        .iter()
        .flat_map(|n: &u64| n.to_le_bytes())
        .collect::<Vec<u8>>();
    bytes.extend(size.to_le_bytes());
    bytes.extend([0; 8]);
    for text in ["Acme.Type", name, "void  (int32)"] {
        bytes.extend(text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
    }
    bytes
}

fn module(path: &str) -> Vec<u8> {
    let mut bytes = [77u64, 1, 0]
        .iter()
        .flat_map(|n| n.to_le_bytes())
        .collect::<Vec<u8>>();
    bytes.extend(path.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
    bytes
}

/// Events are (time, life, method, start, size), then come times and addresses with the expected methods.
#[track_caller]
fn check(events: &[(u64, Lifecycle, &str, u64, u32)], expect: &[(u64, u64, &str)]) {
    let mut code = Code::default();
    for &(time, life, name, start, size) in events {
        code.read_method(&method(name, start, size), life, false, time)
            .unwrap();
    }
    code.finish();
    let mut timeline = code.timeline();
    for &(time, address, name) in expect {
        timeline.advance(time);
        let found = timeline
            .find(address)
            .map(|id| timeline.code.frame_name(id));
        let expected = (!name.is_empty()).then(|| format!("ManagedModule!Acme.Type.{name}(int32)"));
        assert_eq!(found, expected, "{address} at {time}");
    }
}

use Lifecycle::{Begins, Ends, Known};

#[test]
fn a_method_owns_its_addresses_but_not_the_one_after() {
    check(
        &[(90, Known, "A", 100, 10)],
        &[(1, 99, ""), (1, 100, "A"), (1, 109, "A"), (1, 110, "")],
    );
    check(&[(90, Known, "A", 100, 0)], &[(1, 100, "")]);
}

#[test]
fn a_reused_address_belongs_to_its_current_method() {
    let events = [
        (10, Begins, "A", 100, 50),
        (20, Ends, "A", 100, 50),
        (30, Begins, "B", 120, 50),
    ];
    check(
        &events,
        &[
            (5, 130, "A"),
            (10, 130, "A"),
            (29, 130, "A"),
            (30, 130, "B"),
            (31, 110, "A"),
            (40, 160, "B"),
        ],
    );
    // without an end, the newer one replaces the older one
    let events = [(10, Begins, "A", 100, 50), (30, Begins, "B", 120, 50)];
    check(&events, &[(10, 149, "A"), (30, 149, "B")]);
}

#[test]
fn methods_of_the_rundown_fill_gaps() {
    let events = [
        (10, Begins, "A", 100, 50),
        (20, Ends, "A", 100, 50),
        (99, Known, "B", 90, 50),
    ];
    check(
        &events,
        &[(5, 120, "B"), (10, 120, "A"), (20, 120, "B"), (21, 145, "")],
    );
}

#[test]
fn a_method_with_only_an_end_existed_from_the_start() {
    let events = [(20, Ends, "A", 100, 50), (30, Begins, "B", 100, 50)];
    check(&events, &[(1, 120, "A"), (19, 120, "A"), (30, 120, "B")]);
}

#[test]
fn absurd_addresses_do_no_harm() {
    let end = u64::MAX;
    check(
        &[(1, Known, "A", end, 9), (1, Known, "B", end - 1, 1)],
        &[(2, end, ""), (2, end - 1, "B")],
    );
    let events = [
        (1, Begins, "A", 0, u32::MAX),
        (2, Begins, "B", 5, 1),
        (3, Ends, "C", 5, 1),
    ];
    check(&events, &[(1, 5, "A"), (2, 5, "B"), (3, 5, "A")]);
}

#[test]
fn changes_are_reported_only_if_names_change() {
    let mut code = Code::default();
    code.read_method(&method("A", 100, 50), Begins, false, 10)
        .unwrap();
    code.read_method(&method("A", 100, 50), Known, false, 90)
        .unwrap();
    code.read_method(&method("B", 200, 50), Begins, false, 20)
        .unwrap();
    code.read_method(&method("C", 240, 50), Begins, false, 30)
        .unwrap();
    let mut timeline = code.timeline();
    assert!(!timeline.advance(10));
    assert!(!timeline.advance(20));
    assert!(timeline.advance(30));
    assert!(!timeline.advance(99));
}

#[test]
fn a_reused_module_id_has_two_names() {
    let mut code = Code::default();
    code.read_method(&method("A", 100, 9), Begins, false, 15)
        .unwrap();
    code.read_method(&method("B", 200, 9), Begins, false, 25)
        .unwrap();
    code.read_method(&method("C", 300, 9), Known, false, 16)
        .unwrap();
    code.read_module(&module("/one.dll"), false, 10).unwrap();
    code.read_module(&module("/one.dll"), false, 12).unwrap();
    code.read_module(&module("/two.dll"), false, 20).unwrap();
    let names: Vec<String> = (0..3).map(|row| code.frame_name(MethodId(row))).collect();
    assert_eq!(
        names,
        [
            "one!Acme.Type.A(int32)",
            "two!Acme.Type.B(int32)",
            "two!Acme.Type.C(int32)"
        ]
    );
}

#[test]
fn a_method_without_names_has_its_module() {
    let mut code = Code::default();
    code.read_module(&module("/one.dll"), false, 10).unwrap();
    code.read_method(&method("A", 100, 9)[..36], Known, true, 15)
        .unwrap();
    assert_eq!(code.frame_name(MethodId(0)), "one!?");
    assert!(!code.is_named(MethodId(0)));
}
