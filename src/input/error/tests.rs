use super::*;

#[test]
fn stages_stand_in_the_table_in_their_order() {
    for ((stage, name, ..), code) in STAGES.iter().zip(10..) {
        assert_eq!(stage.name(), *name);
        assert_eq!(stage.exit_code(), code);
        assert_eq!(Stage::from_name(name), Some(*stage));
    }
    assert_eq!(Stage::from_name("lunch"), None);
}

#[test]
fn advice_ends_with_whom_else_to_ask() {
    #[track_caller]
    fn check(failure: Failure, expect: &str) {
        assert_eq!(failure.what_to_do(), expect);
    }
    let failure = || Failure::new("a.dtp", "", "is odd");
    check(failure(), "");
    check(failure().advice("copy it"), "copy it");
    check(
        failure().ask_doctor(),
        "`dotspot doctor FILE` says what else can read it",
    );
    check(
        failure().advice("copy it").ask_doctor(),
        "copy it, and `dotspot doctor FILE` says what else can read it",
    );
    assert_eq!(
        failure().advice("copy it").ask_doctor().advice,
        "copy it",
        "which is all that doctor says"
    );
    assert_eq!(
        failure().ask_doctor().to_string(),
        "a.dtp: is odd; `dotspot doctor FILE` says what else can read it"
    );
}
