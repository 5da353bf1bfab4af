use super::file_name_for;

#[test]
fn file_names_come_from_methods() {
    for (shown, expect) in [
        ("PriceRules.Evaluate", "evaluate.json"),
        ("Program.Main (async)", "main.json"),
        ("List<String>.Add", "add.json"),
        ("HandleAsync.lambda 3", "lambda-3.json"),
        ("All threads", "all-threads.json"),
        ("../../etc", "etc.json"),
        ("[Native code]", "native-code.json"),
        ("?!?", "subtree.json"),
    ] {
        assert_eq!(file_name_for(shown, ".json"), expect, "{shown}");
    }
}
