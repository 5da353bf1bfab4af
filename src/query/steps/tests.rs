use super::*;
use crate::model::testing::profile_of;

/// Checks the effect of the steps of `--step`, or the error.
#[track_caller]
fn check(steps: &[&str], expect: Result<&[&str], &str>) {
    let view = profile_of("T;Acme.Book.Match;Acme.Book.Add 3|T;Acme.Pool.Rent 1");
    let requests: Result<Vec<_>, _> = steps.iter().map(|step| StepRequest::parse(step)).collect();
    let words = requests
        .and_then(|requests| apply_steps(view, &requests))
        .map(|view| view.steps.words(&view.recording));
    let expect = expect.map(|words| {
        words
            .iter()
            .map(|word| word.to_string())
            .collect::<Vec<_>>()
    });
    assert_eq!(
        words.map_err(|error| error.to_string()),
        expect.map_err(String::from),
        "{steps:?}"
    );
}

#[test]
fn steps_are_parsed_from_words() {
    check(
        &["drop:Rent", "fold:system"],
        Ok(&["without Pool.Rent", "fold system"]),
    );
    check(
        &["fold:none", "hide:Ma.ch", "group:type"],
        Ok(&["hide /Ma.ch/", "by type"]),
    );
    check(
        &["show-from:a", "fold-recursion:all"],
        Ok(&["show-from /a/", "fold recursion"]),
    );
    check(
        &["inverted", "drop:Rent"],
        Ok(&["inverted", "without Pool.Rent"]),
    );
    check(&["drop-node:n2"], Ok(&["without Book.Match (node n2)"]));
    check(&["drop:Book.*"], Ok(&["without 2 methods of Book"]));
    // the second time, nothing is left to drop, which is not an error
    check(&["drop:Match", "drop:Match"], Ok(&["without Book.Match"]));
}

#[test]
fn methods_with_the_same_name_share_a_step() {
    const STACKS: &str = "T;M!Acme.Book.Add(int32);M!Acme.Book.Add(char) 4|T;M!Acme.Pool.Add() 2|T;M!Acme.Book.Cut() 1";
    #[track_caller]
    fn check(name: &str, words: &str, flags: &[&str]) {
        let drop = |name: &str| StepRequest::parse(&format!("drop:{name}")).unwrap();
        let view = apply_steps(profile_of(STACKS), &[drop(name)]).unwrap();
        assert_eq!(view.steps.words(&view.recording), [words]);
        let made = view.steps.flags(&view.recording).flags;
        assert_eq!(
            made,
            flags
                .iter()
                .flat_map(|flag| ["--drop", flag])
                .collect::<Vec<_>>()
        );
        // these produce the same tree one by one
        let again = apply_steps(
            profile_of(STACKS),
            &flags.iter().map(|flag| drop(flag)).collect::<Vec<_>>(),
        )
        .unwrap();
        assert_eq!(again.tree, view.tree);
    }
    let [int, char] = ["M!Acme.Book.Add(int32)", "M!Acme.Book.Add(char)"];
    check("Book.Add", "without Book.Add", &[int, char]);
    check("Book.Add(Int32)", "without Book.Add(Int32)", &[int]);
    check(
        "Book.*",
        "without 3 methods of Book",
        &[int, char, "M!Acme.Book.Cut()"],
    );
}

#[test]
fn invalid_steps_are_explained() {
    check(
        &["fold:all"],
        Err("--step fold all: expected one of plumbing, system, none"),
    );
    check(
        &["drop"],
        Err(
            "--step drop: expected WORD:VALUE; the words are drop, drop-node, focus, ignore, hide, \
                 show-from, fold-recursion, fold and group, and inverted takes no value",
        ),
    );
    check(
        &["keep:x"],
        Err(
            "--step keep: there is no such step; the words are drop, drop-node, focus, ignore, hide, show-from, \
                 fold-recursion, fold and group, and inverted takes no value",
        ),
    );
    check(
        &["inverted:x"],
        Err("--step inverted:x: inverted takes no value"),
    );
    check(&["focus:(a"], Err("--step focus (a: unclosed group"));
    check(
        &["focus:(a{1000}){1000}"],
        Err("--step focus (a{1000}){1000}: the pattern is too large"),
    );
    check(
        &["drop-node:n77"],
        Err(
            "--step drop-node n77: this profile has no such node; `dotspot tree --json` lists them",
        ),
    );
}
