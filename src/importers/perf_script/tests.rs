use super::*;

#[test]
fn samples_are_recognized() {
    #[track_caller]
    fn check(text: &str, expect: Option<Confidence>) {
        assert_eq!(
            sniff(&Head {
                bytes: text.as_bytes(),
                name: ""
            }),
            expect,
            "{text}"
        );
    }
    let likely = Some(Confidence::Likely);
    check(
        "dotnet 12604  2812.202391:    2004008 cpu-clock: \n\t    7f567a062aac main+0xfc (/bin/a)\n\n",
        likely,
    );
    check(
        "dotnet 12596/12604  2812.202391: cpu-clock: \n\t    7f567a062aac main (/bin/a)\n\n",
        likely,
    );
    check(
        "# ========\n# captured on    : Tue\n# ========\n#\na b 5 [001] 1.5: 1 cycles:\n\t 55d5 main (/bin/a)\n",
        likely,
    );
    check(
        "# ========\n# captured on    : Tue\n# hostname : x\n",
        likely,
    );
    check(
        "swapper     0 [000] 1.000001: 250000 cycles:  ffff f ([kernel.kallsyms])\n\
               swapper     0 [000] 1.000002: 250000 cycles:  ffff f ([kernel.kallsyms])\n",
        likely,
    );
    check(
        "dotnet 12604  2812.202391:    2004008 cpu-clock: \n7f567a062aac main+0xfc (/bin/a)\n\n",
        likely,
    );
    check(
        "dotnet 12604  2812.202391:    2004008 cpu-clock: \n",
        Some(Confidence::Name),
    );
    check("", None);
    check("# hello\n", None);
    check("a;b;c 12\n", None);
    check("<a>\n", None);
    check(
        "2026-11-21 12:00:01.123: started\n\tat Acme.Program.Main()\n",
        None,
    );
    check("key value:\n  other: 5\n", None);
}
