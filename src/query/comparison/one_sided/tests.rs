use super::*;
use crate::query::comparison::tests::merged;

/// Checks which new methods are topmost.
#[track_caller]
fn check(after: &str, expect: &[&str]) {
    let (compared, view) = merged("T;App!App.Main 100", after);
    let is_new = |frame: &FrameId| compared.presence(*frame) == Presence::New;
    let frames = view.frames.iter().map(|(frame, _)| frame);
    let new: Vec<FrameId> = frames.filter(is_new).collect();
    let found = topmost(&view, Presence::New, &new);
    let mut names: Vec<&str> = found
        .iter()
        .map(|&id| view.frames.display_name(id))
        .collect();
    names.sort_unstable();
    assert_eq!(names, expect, "{after:?}");
}

#[test]
fn callees_of_new_methods_are_not_listed_as_new() {
    const SYSTEM: &str = "System.Private.CoreLib!System.Text";
    check("T;App!App.Main 100", &[]);
    // Render covers everything it calls, user code and system code
    check(
        &format!(
            "T;App!App.Main;App!App.Render 5|T;App!App.Main;App!App.Render;App!App.Pad;{SYSTEM}.Sb.Grow() 20"
        ),
        &["App.Render"],
    );
    // if system code calls new user code, that is named: with 20 of 25, but not with 20 of 80
    let through =
        |own: u32| format!("T;{SYSTEM}.Pool.Run() {own}|T;{SYSTEM}.Pool.Run();App!App.Render 20");
    check(&through(5), &["App.Render"]);
    check(&through(60), &["App.Render", "Pool.Run"]);
    // a method that is mostly another one, which has more elsewhere: 9 of 10, and 9 of 29
    check(
        "T;App!App.Each;App!App.Render 9|T;App!App.Each 1|T;App!App.Main;App!App.Render 20",
        &["App.Render"],
    );
}

/// A user method nested in another one below system code counts once: 30 of 100, not 60.
#[test]
fn nested_methods_count_once() {
    const RUN: &str = "T;System.Private.CoreLib!System.Pool.Run()";
    check(
        &format!("{RUN} 70|{RUN};App!App.Render 1|{RUN};App!App.Render;App!App.Pad 29"),
        &["App.Render", "Pool.Run"],
    );
}
