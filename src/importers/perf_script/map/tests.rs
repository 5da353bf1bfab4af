use super::*;
use crate::input::Progress;
use std::io::Cursor;

#[test]
fn addresses_have_names() {
    let text = "00007F567A050078 48 stub<1> Entry\n7f10 10 old\n\nrubbish\n0x7f10 20 void [A] B::C(int32)[PreJIT]\n7f50 ffffffffffffffff all\n";
    let input = Input::stream(
        "map",
        Box::new(Cursor::new(text.as_bytes())),
        Progress::default(),
    )
    .unwrap();
    let map = PerfMap::read("perf-1.map".into(), input).unwrap();
    let check =
        |address, expect: Option<&str>| assert_eq!(map.name(address), expect, "{address:x}");
    check(0x7f0f, None);
    check(0x7f10, Some("void [A] B::C(int32)[PreJIT]"));
    check(0x7f2f, Some("void [A] B::C(int32)[PreJIT]"));
    check(0x7f30, None);
    check(0x7f50, Some("all"));
    check(0x7F56_7A05_0078, Some("stub<1> Entry"));
}
