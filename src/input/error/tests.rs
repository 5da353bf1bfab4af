use super::*;

#[test]
fn the_exit_codes_of_stages_are_10_to_18() {
    assert_eq!(
        Stage::ALL.map(Stage::exit_code),
        [10, 11, 12, 13, 14, 15, 16, 17, 18]
    );
}

#[test]
fn advice_ends_with_the_next_command_to_run() {
    #[track_caller]
    fn check(failure: Failure, expect: &str) {
        assert_eq!(failure.full_advice(), expect);
    }
    let failure = || Failure::new("a.dtp", "", "is odd");
    check(failure(), "");
    check(failure().advice("copy it"), "copy it");
    check(
        failure().suggest_doctor(),
        "`dotspot doctor FILE` says what else can read it",
    );
    check(
        failure().advice("copy it").suggest_doctor(),
        "copy it, and `dotspot doctor FILE` says what else can read it",
    );
    assert_eq!(
        failure().advice("copy it").suggest_doctor().advice,
        "copy it",
        "which is all that doctor says"
    );
    assert_eq!(
        failure().suggest_doctor().to_string(),
        "a.dtp: is odd; `dotspot doctor FILE` says what else can read it"
    );
}
