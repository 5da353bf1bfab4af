use super::*;
use crate::model::Merging;
use crate::query::RangeEnd;

fn parsed(words: &[&str]) -> Readings {
    let command = Readings::augment_args(Command::new("compare").no_binary_name(true));
    Readings::from_arg_matches(&command.try_get_matches_from(words).unwrap()).unwrap()
}

#[test]
fn options_apply_to_one_or_both_sides() {
    let second = |seconds: u64| Some(RangeEnd::At(seconds * 1_000_000_000));
    let both = parsed(&["--from", "2s", "--thread", "7", "--no-repair"]);
    for side in [&both.before, &both.after] {
        assert_eq!(
            (
                side.range.from,
                side.threads.thread.join(" "),
                side.no_repair
            ),
            (second(2), "7".into(), true)
        );
    }
    let words = [
        "--from",
        "2s",
        "--before-from",
        "3s",
        "--after-thread=-9",
        "--after-thread",
        "8",
        "--after-merge-threads",
    ];
    let Readings { before, after } = parsed(&words);
    assert_eq!(
        (before.range.from, after.range.from),
        (second(3), second(2))
    );
    assert_eq!(
        (
            before.threads.thread.join(" "),
            after.threads.thread.join(" ")
        ),
        (String::new(), "-9 8".into())
    );
    assert_eq!(
        (before.threads.merge_threads, after.threads.merge_threads),
        (None, Some(Merging::All))
    );
    assert!(before.decoding.decoder_timeout > 0);
}
