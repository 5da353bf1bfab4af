use super::inner_name;

#[test]
fn the_inner_name_lacks_gz() {
    let check =
        |outer: &str, stored: &str, expect: &str| assert_eq!(inner_name(outer, stored), expect);
    check("x.speedscope.json.gz", "", "x.speedscope.json");
    check("x.json.GZ", "y.json", "x.json");
    check("profile", "a/b/y.json", "y.json");
    check("profile", r"c:\b\y.json", "y.json");
    check("profile.pb", "", "profile.pb");
    check("", "", "");
    check(".gz", "", ".gz");
    check("é", "", "é");
}
