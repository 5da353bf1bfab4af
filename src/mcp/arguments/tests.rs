use super::*;

#[track_caller]
fn check(given: Value, expect: Result<usize, &str>) {
    let Value::Object(given) = given else {
        panic!()
    };
    let names = ["profile", "by", "steps", "min_percent", "budget"];
    let found = ToolArguments::read(given, &names, 1).map(|arguments| arguments.budget());
    assert_eq!(found, expect.map_err(String::from));
}

#[test]
fn arguments_are_checked() {
    check(json!({"profile": "a", "budget": 500}), Ok(500));
    check(
        json!({"profile": "a", "by": null, "steps": ["drop:Rent"]}),
        Ok(2_000),
    );
    check(json!({}), Err("profile: this argument is required"));
    check(
        json!({"profile": null}),
        Err("profile: this argument is required"),
    );
    check(
        json!({"profile": "a".repeat(2_001)}),
        Err("profile: at most 2000 bytes of JSON are expected, found 2003"),
    );
    check(
        json!({"profile": "a", "steps": vec!["x"; 1_000]}),
        Err("steps: at most 2000 bytes of JSON are expected, found 4001"),
    );
    check(
        json!({"profile": 7}),
        Err("profile: invalid type: integer `7`, expected a string"),
    );
    check(
        json!({"profile": "a", "color": 1}),
        Err(
            "color: this tool has no such argument; it has profile, by, steps, min_percent, budget",
        ),
    );
    check(
        json!({"profile": "a", "by": "x"}),
        Err("by: one of exclusive, inclusive, own-system is expected, found x"),
    );
    check(
        json!({"profile": "a", "min_percent": 101}),
        Err("min_percent: a number from 0 to 100 is expected, found 101"),
    );
    // clients send lists and numbers as strings, and a string in place of a list
    check(
        json!({"profile": "a", "budget": "500", "steps": "[\"drop:Rent\"]", "min_percent": "2"}),
        Ok(500),
    );
    check(
        json!({"profile": "a", "budget": 500.0, "steps": "drop:Rent"}),
        Ok(500),
    );
    check(
        json!({"profile": "a", "budget": "many"}),
        Err("budget: a whole number is expected, 0 or more, found \"many\""),
    );
    check(
        json!({"profile": "a", "budget": 5}),
        Err("budget: a number from 200 to 100000 is expected, found 5"),
    );
    check(
        json!({"profile": "a", "budget": -5}),
        Err("budget: a whole number is expected, 0 or more, found -5"),
    );
    check(
        json!({"profile": "a", "steps": ["inverted:x"]}),
        Err("step inverted:x: inverted takes no value"),
    );
}

#[test]
fn sentences_of_queries_fit_requests() {
    assert_eq!(in_tool_terms("--metric x: no"), "metric x: no");
    assert_eq!(in_tool_terms("METHOD x: no"), "method x: no");
}
