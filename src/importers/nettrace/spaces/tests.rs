use super::*;
use crate::importers::runtime::AddressResolver;
use crate::model::Frames;
use std::ops::Range;

fn varuints(numbers: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for &number in numbers {
        let mut rest = number;
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    bytes
}

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat()
}

fn map(spaces: &mut Spaces, process: u64, time: u64, id: u64, addresses: Range<u64>, file: &str) {
    let space = spaces.of(process);
    let payload = [
        varuints(&[id, addresses.start, addresses.end, 0]),
        text(file),
        varuints(&[0]),
    ]
    .concat();
    spaces.read_mapping(space, &payload, false, time).unwrap();
}

fn symbol(spaces: &mut Spaces, mapping: u64, start: u64, last: u64, name: &str) {
    spaces
        .read_symbol(&[varuints(&[0, mapping, start, last]), text(name)].concat())
        .unwrap();
}

/// (process, time, address with the expected name).
#[track_caller]
fn check(spaces: &mut Spaces, process: u64, expect: &[(u64, u64, &str)]) {
    spaces.finish();
    let space = spaces.of(process);
    let mut resolver = AddressResolver::new(&spaces.get(space).memory);
    let mut frames = Frames::default();
    for &(time, address, name) in expect {
        resolver.advance(time);
        let found = resolver.frame(address, &*spaces, &mut frames);
        let found = found.map_or("", |found| frames.name(found.frame));
        assert_eq!(found, name, "{address} at {time}");
    }
}

#[test]
fn the_last_address_belongs_to_a_symbol_and_not_to_a_mapping() {
    let mut spaces = Spaces::default();
    map(&mut spaces, 7, 0, 1, 100..200, "/lib/libc.so.6");
    symbol(&mut spaces, 1, 110, 119, "mmap");
    symbol(&mut spaces, 1, 110, 119, "mmap64");
    symbol(&mut spaces, 1, 115, 130, "inner");
    let expect = [
        (99, ""),
        (100, "libc.so.6!?"),
        (110, "libc.so.6!mmap"),
        (119, "libc.so.6!mmap"),
        (120, "libc.so.6!?"),
        (200, ""),
    ];
    check(
        &mut spaces,
        7,
        &expect.map(|(address, name)| (1, address, name)),
    );
    check(&mut spaces, 8, &[(1, 110, "")]);
}

#[test]
fn processes_that_share_a_mapping_share_its_symbols() {
    let mut spaces = Spaces::default();
    map(&mut spaces, 7, 0, 1, 100..200, "/a");
    map(&mut spaces, 8, 0, 1, 100..200, "/a");
    symbol(&mut spaces, 1, 110, 119, "f");
    check(&mut spaces, 7, &[(1, 111, "a!f")]);
    check(&mut spaces, 8, &[(1, 111, "a!f")]);
}

#[test]
fn later_mappings_replace_earlier_ones() {
    let mut spaces = Spaces::default();
    map(&mut spaces, 7, 10, 1, 100..200, "/a");
    map(&mut spaces, 7, 20, 2, 150..160, "/b");
    check(
        &mut spaces,
        7,
        &[(10, 155, "a!?"), (20, 155, "b!?"), (20, 110, "a!?")],
    );
}

#[test]
fn jit_compiled_code_has_the_module_in_its_name() {
    let mut spaces = Spaces::default();
    map(
        &mut spaces,
        7,
        0,
        1,
        100..200,
        "/memfd:doublemapper (deleted)",
    );
    symbol(
        &mut spaces,
        1,
        110,
        119,
        "void [Acme] Acme.Shop::Sell(int32)[OptimizedTier1]",
    );
    check(
        &mut spaces,
        7,
        &[
            (0, 110, "void [Acme] Acme.Shop::Sell(int32)"),
            (0, 120, "?!?"),
        ],
    );
}

#[test]
fn absurd_addresses_do_no_harm() {
    let mut spaces = Spaces::default();
    map(
        &mut spaces,
        7,
        0,
        1,
        Range {
            start: 200,
            end: 100,
        },
        "/a",
    );
    map(&mut spaces, 7, 0, 2, 0..u64::MAX, "/b");
    symbol(&mut spaces, 2, 9, 3, "f");
    symbol(&mut spaces, 2, u64::MAX - 1, u64::MAX, "g");
    symbol(&mut spaces, 99, 0, 5, "nowhere");
    check(
        &mut spaces,
        7,
        &[(0, 150, "b!?"), (0, u64::MAX - 1, "b!g"), (0, u64::MAX, "")],
    );
    let space = spaces.of(7);
    assert_eq!(spaces.read_mapping(space, &[1, 2], false, 0), None);
    assert_eq!(spaces.read_symbol(&[1, 2, 3, 4, 9, 0]), None);
}
