use crate::messages::messages;

messages! {
    const TEXT_EXPECTED = "expected a quoted string";
    const TEXTS_EXPECTED = "expected a quoted string or a list of them";
    const BOOLEAN_EXPECTED = "expected true or false";
    const NOT_A_REGULAR_FILE = "it is not a regular file";
    const TOO_LARGE = "it is larger than 64 kB";
    const NOT_UTF_8 = "it is not UTF-8";
    fn problem(at, key, what) = "{at}: {key}: {what}";
    fn problem_of_name(at, what) = "{at}: {what}";
    fn did_you_mean(name, nearest) = "{name} is unknown; did you mean {nearest}?";
    fn is_none_of(name, known) = "{name} is unknown; one of these is expected: {known}";
    fn is_unknown(name) = "{name} is unknown";
    fn unread(file, why) = "{file}: can't be read: {why}";
    fn not_toml(at, why) = "{at}: not TOML: {why}";
    fn more_problems(file, more) = "{file}: {more} more problems";
}
