use super::*;
use crate::model::testing::profile_of;

const STACKS: &str = "main;App!Acme.Program.Main();App!Acme.Parser`2[System.__Canon,System.Int32].Parse(class System.String) 1\
        |main;App!Acme.Parser`2[System.__Canon,System.Char].Parse(class System.String) 1\
        |main;App!Acme.Parser`2[System.__Canon,System.Char].Parse(class System.String,int32) 1\
        |main;App!Acme.Book..ctor(int32) 1|main;App!Acme.Book.Match(int32) 1|main;App!Acme.Book.match() 1\
        |main;App!Acme.Book+Page.Turn() 1|main;App!Acme.Book+<LoadAsync>d__3.MoveNext() 1\
        |main;App!Acme.Shop.Dispose() 1|main;App!Acme.Till.Dispose() 1|main;System.IO!System.IO.Stream.Dispose() 1\
        |main;App!Other.Program.Main() 1";

/// The names of the methods found, sorted, each once; or the error.
fn found(wanted: &str) -> Result<Vec<String>, String> {
    let view = profile_of(STACKS);
    let frames = frames_named(&view, "--method", wanted).map_err(|error| error.to_string())?;
    let names: BTreeSet<String> = frames
        .into_iter()
        .map(|id| view.frames.name(id).split_once('!').unwrap().1.to_string())
        .collect();
    Ok(names.into_iter().collect())
}

#[track_caller]
fn check(wanted: &str, expect: &[&str]) {
    assert_eq!(
        found(wanted),
        Ok(expect.iter().map(|name| name.to_string()).collect()),
        "{wanted}"
    );
}

#[track_caller]
fn check_fails(wanted: &str, words: &[&str]) {
    let sentence = found(wanted).unwrap_err();
    for word in words {
        assert!(sentence.contains(word), "{word:?} is not in {sentence:?}");
    }
}

const INT: &str = "Acme.Parser`2[System.__Canon,System.Int32].Parse(class System.String)";
const CHAR: &str = "Acme.Parser`2[System.__Canon,System.Char].Parse(class System.String)";
const CHAR_AT: &str = "Acme.Parser`2[System.__Canon,System.Char].Parse(class System.String,int32)";

#[test]
fn type_arguments_are_optional() {
    for wanted in [
        "Parser.Parse",
        "Acme.Parser.Parse",
        "Parse",
        "parser.parse",
        "Acme.Parser`2.Parse",
        "Parser`2.Parse",
    ] {
        check(wanted, &[CHAR, CHAR_AT, INT]);
    }
    for wanted in [
        "Parser<T1,Int32>.Parse",
        "parser<t1,int32>.parse",
        "Parser<T1,Int32>.Parse(String)",
    ] {
        check(wanted, &[INT]);
    }
    check_fails(
        "Parser<T1,Byte>.Parse",
        &["no such method", "Parser<T1,Char>.Parse"],
    );
}

#[test]
fn arguments_choose_an_overload() {
    for wanted in [
        "Parser.Parse(String, Int32)",
        "Parse(String,Int32)",
        "Parser.Parse(class System.String,int32)",
    ] {
        check(wanted, &[CHAR_AT]);
    }
    check("Parser<T1,Char>.Parse(String)", &[CHAR]);
    check_fails(
        "Parse(Byte)",
        &["--method Parse(Byte): this profile has no such method"],
    );
}

#[test]
fn a_partial_name_must_be_unambiguous() {
    check("Turn", &["Acme.Book+Page.Turn()"]);
    check("Page.Turn", &["Acme.Book+Page.Turn()"]);
    check("Book+Page.Turn", &["Acme.Book+Page.Turn()"]);
    check("LoadAsync", &["Acme.Book+<LoadAsync>d__3.MoveNext()"]);
    check("Book.LoadAsync", &["Acme.Book+<LoadAsync>d__3.MoveNext()"]);
    // two methods with this name
    for wanted in ["Program.Main", "Main"] {
        check_fails(wanted, &["Acme.Program.Main", "Other.Program.Main"]);
    }
    check("Other.Program.Main", &["Other.Program.Main()"]);
    check_fails(
        "Dispose",
        &["ambiguous: Shop.Dispose, Till.Dispose, Stream.Dispose; give more of the name"],
    );
    check("Stream.Dispose", &["System.IO.Stream.Dispose()"]);
}

#[test]
fn case_matters_only_to_resolve_ambiguity() {
    check("page.turn", &["Acme.Book+Page.Turn()"]);
    check("turn", &["Acme.Book+Page.Turn()"]);
    check("Book.Match", &["Acme.Book.Match(int32)"]);
    check("match", &["Acme.Book.match()"]);
    check_fails("BOOK.MATCH", &["ambiguous: Book.Match", "Book.match"]);
}

#[test]
fn an_async_method_and_its_state_machine_count_as_one() {
    let view = profile_of(
        "main;App!Acme.Book.LoadAsync(int32) 1|main;App!Acme.Book+<LoadAsync>d__3.MoveNext() 1\
         |main;App!Acme.Page.LoadAsync() 1|main;App!Other.Book+<LoadAsync>d__0.MoveNext() 1",
    );
    let found = |wanted| {
        let found = frames_named(&view, "--method", wanted).unwrap();
        found.iter().map(|id| id.0).collect::<Vec<_>>()
    };
    let (method, machine, other) = (2, 3, 5);
    for wanted in ["Acme.Book.LoadAsync", "acme.book.loadasync"] {
        assert_eq!(found(wanted), [method, machine], "{wanted}");
    }
    assert_eq!(found("Acme.Book.LoadAsync (async)"), [machine]);
    assert_eq!(found("App!Acme.Book.LoadAsync(int32)"), [method]);
    assert_eq!(found("Other.Book.LoadAsync"), [other]);
    assert!(frames_named(&view, "--method", "LoadAsync").is_err());
}

#[test]
fn constructors_have_two_names() {
    for wanted in [
        "new Book",
        "Book..ctor",
        "Acme.Book..ctor",
        "new book",
        "new Acme.Book",
    ] {
        check(wanted, &["Acme.Book..ctor(int32)"]);
    }
    check_fails("Book", &["no such method"]);
    let view = profile_of("main;Acme!Acme.Pool+Bag`1..ctor() 1|main;Acme!Acme.Pool+Bag`1.Add() 1");
    for wanted in [
        "Pool.Bag<T>..ctor",
        "new Bag<T>",
        "Bag<T>..ctor",
        "new Pool.Bag",
        "Pool.Bag<T>.*",
    ] {
        assert!(
            frames_named(&view, "--under", wanted).is_ok_and(|found| found[0] == FrameId(2)),
            "{wanted}"
        );
    }
}

#[test]
fn a_star_matches_all_methods_of_a_type() {
    let all = [
        "Acme.Book+<LoadAsync>d__3.MoveNext()",
        "Acme.Book+Page.Turn()",
        "Acme.Book..ctor(int32)",
        "Acme.Book.Match(int32)",
        "Acme.Book.match()",
    ];
    for wanted in ["Book.*", "Acme.Book.*", "book.*"] {
        check(wanted, &all);
    }
    check("Page.*", &["Acme.Book+Page.Turn()"]);
    check("Parser.*", &[CHAR, CHAR_AT, INT]);
    check("Other.*", &["Other.Program.Main()"]);
    check_fails("Nothing.*", &["no such method"]);
}

#[test]
fn nearest_names_are_listed_once_user_code_first() {
    check_fails(
        "Dispoze",
        &["; the nearest are Shop.Dispose, Till.Dispose, Stream.Dispose"],
    );
    check_fails(
        "Progam.Mian",
        &["; the nearest are Acme.Program.Main, Other.Program.Main"],
    );
    check_fails(
        "Parser.Prase",
        &["Parser<T1,Int32>.Parse", "Parser<T1,Char>.Parse(String)"],
    );
    // letters in order, if no name is near
    check_fails("bkpgtn", &["; the nearest is Book.Page.Turn"]);
    // hardly typed parts are not searched for
    for wanted in ["xyzxyz", "xyzxyz.", "xyzxyz.e", "xyzxyz.rse"] {
        assert_eq!(
            found(wanted).unwrap_err(),
            format!("--method {wanted}: this profile has no such method")
        );
    }
    assert_eq!(
        found(" ").unwrap_err(),
        "--method: expected the name of a method"
    );
}
