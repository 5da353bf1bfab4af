use super::*;

#[test]
fn weights_are_numbers() {
    let check = |text: &str, expect| assert_eq!(Weight::parse(text.as_bytes()), expect, "{text}");
    check("12", Some(Weight::Whole(12)));
    check("0", Some(Weight::Whole(0)));
    check("18446744073709551615", Some(Weight::Whole(u64::MAX)));
    check(
        "18446744073709551616",
        Some(Weight::Millionths(18_446_744_073_709_551_616_000_000)),
    );
    check("12.0", Some(Weight::Millionths(12_000_000)));
    check("3.", Some(Weight::Millionths(3_000_000)));
    check("1e3", Some(Weight::Millionths(1_000_000_000)));
    check("12.5", Some(Weight::Millionths(12_500_000)));
    check("0.000001", Some(Weight::Millionths(1)));
    check(
        "9007199254740993.5",
        Some(Weight::Millionths(9_007_199_254_740_993_500_000)),
    );
    check("0.30000000000000004", Some(Weight::Millionths(300_000)));
    check("0.0000001", Some(Weight::Vanishing));
    check("-3", Some(Weight::Negative));
    check("-0.5", Some(Weight::Negative));
    check("-0", Some(Weight::Millionths(0)));
    for text in ["", "a", "1a", "inf", "nan", "-", "0x12", "1,5", "é"] {
        check(text, None);
    }
}

#[test]
fn other_texts_are_not_taken_for_stacks() {
    #[track_caller]
    fn check(name: &str, text: &str, expect: Option<Confidence>) {
        assert_eq!(
            sniff(&Head {
                bytes: text.as_bytes(),
                name
            }),
            expect,
            "{text}"
        );
    }
    let likely = Some(Confidence::Likely);
    check("", "a;b;c 2", likely);
    check("", "a;b;c 2\n", likely);
    check("", "a;b;c 2\r\na;b 1\r\n", likely);
    check("", "\u{feff}a;b;c 2\n", likely);
    check("", "# comment\n\na;b;c 2\n", likely);
    check(
        "",
        "main 5\nmain;Ns.Type.Run(int32, class A`1<!0>) 0.25\n",
        likely,
    );
    check("x.folded", "main 5\n", Some(Confidence::Name));
    check("x.txt", "main 5\n", None);
    check("x.folded", "", None);
    check("x.folded", "hello\n", None);
    check("", "{\"a\": \"b;c\", \"d\": 5\n}", None);
    check("", "{};b 3\n", likely);
    check("x.folded", "{} 5\n", Some(Confidence::Name));
    check("x.folded", " 4\nb 1\n", Some(Confidence::Name));
    check("x.folded", "{\"a\":1}\n{\"b\":2}\n", None);
    check("", "<a>b;c</a>\n", None);
    check("", "1;2;3 4\n5;6;7 8\n", None);
    check("", "name;amount 1;amount 2\nAcme;1,5;2,7\n", None);
    check(
        "",
        "app 12 3.5: 1000 cycles:\n\t7f main (/bin/a;b)\n\n",
        None,
    );
    check("", "for (i = 0; i < 10\n; i++) {\n  x;\n}\n", None);
    check(
        "",
        "7f567a050078 48 stub<1> Allocate\n7f567a0500c8 38 stub<2> Allocate\n",
        None,
    );
    check("", &format!("{}\n", "a b c\n".repeat(3)), None);
    // the first line is longer than the examined part
    check(
        "",
        &"Acme.Shop.Sell;".repeat(400)[..4096],
        Some(Confidence::Name),
    );
    check("", &"Acme.Shop.Sell ".repeat(400)[..4096], None);
}
