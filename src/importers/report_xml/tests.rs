use super::*;

#[track_caller]
fn check(head: &[u8], expect: Option<Confidence>) {
    assert_eq!(
        sniff(&Head {
            bytes: head,
            name: "x.xml"
        }),
        expect,
        "{}",
        String::from_utf8_lossy(head)
    );
}

#[test]
fn reports_are_recognized_by_the_root_element() {
    let sure = Some(Confidence::Certain);
    let likely = Some(Confidence::Likely);
    check(b"<Report><Function Id=\"1\" FQN=\"A\"", sure);
    check(
        b"\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<Report>\r\n  <Function FQN='",
        sure,
    );
    check(
        b"<!-- <x> --><!DOCTYPE Report [ <!ENTITY a \"b\"> ]>\n<Report >",
        likely,
    );
    check(b"<Report/>", likely);
    check(b"<Report", likely);
    check(b"<Reports>", None);
    check(b"<StackWindow><Report>", None);
    check(b"<?xml version=\"1.0\"?>", None);
    check(b"<!-- never closed <Report>", None);
    check(b"Report", None);
    check(b"{\"<Report>\":1}", None);
    check(b"", None);
    let utf16 = |unit: fn(u16) -> [u8; 2], mark: &[u8]| -> Vec<u8> {
        mark.iter()
            .copied()
            .chain(
                "<?xml version=\"1.0\"?><Report>"
                    .encode_utf16()
                    .flat_map(unit),
            )
            .collect()
    };
    check(&utf16(u16::to_le_bytes, b"\xFF\xFE"), likely);
    check(&utf16(u16::to_be_bytes, b"\xFE\xFF"), likely);
    check(&utf16(u16::to_le_bytes, b""), likely);
    check(b"\xFF\xFE\0\0", None);
}
