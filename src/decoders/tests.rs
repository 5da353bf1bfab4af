use super::*;

#[test]
fn decoders_are_tried_in_order() {
    use Decoder::{Assemblies, Native, Reporter};
    #[track_caller]
    fn check(choice: DecoderChoice, with_reporter: &[Decoder], elsewhere: &[Decoder]) {
        assert_eq!(order(choice, System::Windows, false), with_reporter);
        for system in [System::Linux, System::MacOs] {
            assert_eq!(order(choice, system, false), elsewhere);
            assert_eq!(order(choice, system, true), with_reporter);
        }
    }
    check(
        DecoderChoice::Auto,
        &[Native, Reporter, Assemblies],
        &[Native, Assemblies],
    );
    for decoder in Decoder::ALL {
        check(DecoderChoice::Only(decoder), &[decoder], &[decoder]);
    }
}

fn reason(
    decoder: Decoder,
    stage: Stage,
    file: &str,
    problem: &str,
    advice: &str,
) -> (Decoder, Failure) {
    let failure = Failure::new(file, "", problem).advice(advice).stage(stage);
    (decoder, failure.detail([format!("more on {problem}")]))
}

#[test]
fn every_reason_is_reported_in_order() {
    use Decoder::{Assemblies, Native, Reporter};
    #[track_caller]
    fn check(reasons: Vec<(Decoder, Failure)>, exit_code: u8, sentence: &str, detail: &[&str]) {
        let failure = combined("a.dtp", reasons);
        assert_eq!(failure.to_string(), sentence);
        assert_eq!(failure.detail, detail);
        assert_eq!(ImportError::from(failure).exit_code(), exit_code);
    }
    let native = || {
        reason(
            Native,
            Stage::Layout,
            "a.dtp",
            "unknown version 9",
            "report it",
        )
    };
    let no_assemblies = || {
        reason(
            Assemblies,
            Stage::Decoder,
            "a.dtp",
            "no Rider",
            "install it",
        )
    };
    check(
        vec![native()],
        11,
        "a.dtp: stage layout: unknown version 9; report it",
        &["more on unknown version 9"],
    );
    check(
        vec![native(), no_assemblies()],
        11,
        "a.dtp: stage layout: unknown version 9; decoder assemblies: no Rider; report it; or install it",
        &[
            "native: a.dtp: stage layout: unknown version 9; report it",
            "  more on unknown version 9",
            "assemblies: a.dtp: stage decoder: no Rider; install it",
            "  more on no Rider",
        ],
    );
    check(
        vec![
            native(),
            reason(Assemblies, Stage::Build, "a.dtp", "no SDK", "install one"),
        ],
        11,
        "a.dtp: stage layout: unknown version 9; decoder assemblies: no SDK; report it; or install one",
        &[
            "native: a.dtp: stage layout: unknown version 9; report it",
            "  more on unknown version 9",
            "assemblies: a.dtp: stage build: no SDK; install one",
            "  more on no SDK",
        ],
    );
    // the last decoder that was available determines the stage, and equal advice is given once
    check(
        vec![
            native(),
            reason(Reporter, Stage::Launch, "a.dtp.0001", "killed", "report it"),
            reason(Assemblies, Stage::Decoder, "a.dtp", "no Rider", ""),
        ],
        14,
        "a.dtp: stage launch: decoder native: stage layout: unknown version 9; decoder reporter: a.dtp.0001: killed; decoder assemblies: no Rider; report it",
        &[
            "native: a.dtp: stage layout: unknown version 9; report it",
            "  more on unknown version 9",
            "reporter: a.dtp.0001: stage launch: killed; report it",
            "  more on killed",
            "assemblies: a.dtp: stage decoder: no Rider",
            "  more on no Rider",
        ],
    );
    check(
        vec![
            reason(Reporter, Stage::Decoder, "a.dtp", "none", ""),
            no_assemblies(),
        ],
        12,
        "a.dtp: stage decoder: none; decoder assemblies: no Rider; install it",
        &[
            "reporter: a.dtp: stage decoder: none",
            "  more on none",
            "assemblies: a.dtp: stage decoder: no Rider; install it",
            "  more on no Rider",
        ],
    );
}

#[test]
fn long_reasons_are_shortened() {
    let (_, long) = reason(
        Decoder::Assemblies,
        Stage::Bind,
        "a.dtp",
        &"é".repeat(200),
        "",
    );
    let native = || {
        reason(
            Decoder::Native,
            Stage::Layout,
            "a.dtp",
            "unknown version 9",
            "",
        )
    };
    let failure = combined("a.dtp", vec![native(), (Decoder::Assemblies, long.clone())]);
    let native_reason = "decoder native: stage layout: unknown version 9";
    assert_eq!(
        failure.problem,
        format!("{native_reason}; decoder assemblies: {}…", "é".repeat(120))
    );
    assert!(
        failure
            .detail
            .iter()
            .any(|line| line.contains(&"é".repeat(200))),
        "all of it is in the detail"
    );
    let failure = combined(
        "a.dtp",
        vec![native(), (Decoder::Assemblies, long.short("none"))],
    );
    assert_eq!(
        failure.problem,
        format!("{native_reason}; decoder assemblies: none")
    );
}

#[test]
fn the_best_informed_decoder_determines_the_stage() {
    use Stage::{Bind, Build, Decoder, Input, Launch, Layout};
    #[track_caller]
    fn check(stages: &[Stage], expect: Stage) {
        let stages: Vec<Option<Stage>> = stages.iter().copied().map(Some).collect();
        assert_eq!(stage_of(&stages), Some(expect));
    }
    check(&[Input], Input);
    check(&[Layout, Decoder, Build], Layout);
    check(&[Layout, Launch, Decoder], Launch);
    check(&[Layout, Launch, Bind], Bind);
    check(&[Layout, Input], Layout);
    check(&[Decoder, Input], Input);
    check(&[Decoder, Build], Build);
    assert_eq!(stage_of(&[]), None);
}
