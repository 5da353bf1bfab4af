use crate::mcp::messages;
use crate::model::GroupBy;
use crate::query::{
    INVERTED, MethodOrder, RangeRequest, StepRequest, ThreadRequest, TimelineBy, parse_range_end,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::fmt::Display;

/// The maximum size of an argument, as JSON: work grows with it, and messages repeat it.
const MAX_BYTES: usize = 2_000;
const MAX_DEPTH: usize = 10_000;
/// A smaller one holds no answer; a larger one would not be read in one go, and an answer is built in memory.
const BUDGETS: (usize, usize) = (200, 100_000);
const DEFAULT_BUDGET: usize = 2_000;

/// All arguments with their JSON Schema; each tool takes some of them.
fn parameters() -> Value {
    let texts = |about| json!({"type": "array", "items": {"type": "string"}, "description": about});
    let text = |about| json!({"type": "string", "description": about});
    let orders = |orders: &[MethodOrder], about| {
        let names: Vec<&str> = orders.iter().map(|order| order.name()).collect();
        json!({"type": "string", "enum": names, "description": about})
    };
    let flag = |about| json!({"type": "boolean", "description": about});
    let integer = |about| json!({"type": "integer", "description": about});
    json!({
        "profile": text(messages::ABOUT_PROFILE),
        "before": text(messages::ABOUT_BEFORE),
        "per": text(messages::ABOUT_PER),
        "method": text(messages::ABOUT_METHOD),
        "text": text(messages::ABOUT_TEXT),
        "node": text(messages::ABOUT_NODE),
        "under": text(messages::ABOUT_UNDER),
        "metric": text(messages::ABOUT_METRIC),
        "threads": texts(messages::ABOUT_THREADS),
        "steps": texts(messages::ABOUT_STEPS),
        "user_code": flag(messages::ABOUT_USER_CODE),
        "user": flag(messages::ABOUT_USER),
        "by": orders(&MethodOrder::OF_HOTSPOTS, messages::ABOUT_BY),
        "sort": orders(&MethodOrder::ALL, messages::ABOUT_SORT),
        "group": {"type": "string", "enum": GroupBy::ALL.map(GroupBy::name), "description": messages::ABOUT_GROUP},
        "lanes": {"type": "string", "enum": TimelineBy::ALL.map(TimelineBy::name), "description": messages::ABOUT_LANES},
        "filter": text(messages::ABOUT_FILTER),
        "inverted": flag(messages::ABOUT_INVERTED),
        "depth": integer(messages::ABOUT_DEPTH),
        "min_percent": {"type": "number", "minimum": 0, "maximum": 100, "description": messages::ABOUT_MIN_PERCENT},
        "process": text(messages::ABOUT_PROCESS),
        "from": text(messages::ABOUT_FROM),
        "until": text(messages::ABOUT_UNTIL),
        "waiting": flag(messages::ABOUT_WAITING),
        "own_code": text(messages::ABOUT_OWN_CODE),
        "private": flag(messages::ABOUT_PRIVATE),
        "glob": text(messages::ABOUT_GLOB),
        "budget": integer(messages::ABOUT_BUDGET),
    })
}

pub(super) fn schema(tool: &str, names: &[&str], required: usize) -> Map<String, Value> {
    let mut parameters = parameters();
    // steps and ranges are described only once
    parameters["steps"]["description"] = match tool {
        "hotspots" => messages::ABOUT_STEPS,
        "tree" => messages::ABOUT_TREE_STEPS,
        "report" => messages::ABOUT_REPORT_STEPS,
        _ => messages::ABOUT_OTHER_STEPS,
    }
    .into();
    if tool == "tree" {
        parameters["depth"]["description"] = messages::ABOUT_TREE_DEPTH.into();
        parameters["min_percent"]["description"] = messages::ABOUT_TREE_MIN_PERCENT.into();
    }
    if tool != "hotspots" {
        parameters["from"]["description"] = messages::ABOUT_OTHER_FROM.into();
    }
    let properties = names.iter();
    let properties = properties.map(|&name| (name.to_string(), parameters[name].clone()));
    Map::from_iter([
        ("type".into(), "object".into()),
        ("properties".into(), Map::from_iter(properties).into()),
        ("required".into(), names[..required].into()),
    ])
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolArguments {
    pub profile: String,
    pub before: String,
    pub per: Option<String>,
    pub method: String,
    pub text: String,
    pub node: Option<String>,
    pub under: Option<String>,
    pub metric: Option<String>,
    pub threads: Vec<String>,
    pub steps: Vec<String>,
    pub user_code: bool,
    pub user: bool,
    pub by: Option<String>,
    pub sort: Option<String>,
    pub group: Option<String>,
    pub lanes: Option<String>,
    pub filter: Option<String>,
    pub inverted: bool,
    pub depth: Option<usize>,
    pub min_percent: Option<f64>,
    pub budget: Option<usize>,
    pub process: Option<String>,
    pub from: Option<String>,
    pub until: Option<String>,
    pub waiting: Option<bool>,
    pub own_code: Option<String>,
    pub private: bool,
    pub glob: Option<String>,
}

impl ToolArguments {
    pub(super) fn read(
        given: Map<String, Value>,
        names: &[&str],
        required: usize,
    ) -> Result<ToolArguments, String> {
        // some clients send null for omitted arguments
        let given = given.into_iter().filter(|(_, value)| !value.is_null());
        let given: Map<String, Value> = given.collect();
        if let Some(unknown) = given.keys().find(|name| !names.contains(&name.as_str())) {
            return Err(messages::no_such_argument(&unknown, &names.join(", ")));
        }
        let mut needed = names[..required].iter();
        if let Some(missing) = needed.find(|name| !given.contains_key(**name)) {
            return Err(messages::argument_needed(&missing));
        }
        let parameters = parameters();
        let mut all = Map::new();
        for (name, value) in given {
            let bytes = value.to_string().len();
            if bytes > MAX_BYTES {
                return Err(messages::argument_too_long(&name, &MAX_BYTES, &bytes));
            }
            let value = coerced(&name, &parameters[&name], value);
            check_choice(&name, &parameters[&name], &value)?;
            let alone = Map::from_iter([(name.clone(), value.clone())]);
            let read = ToolArguments::deserialize(Value::Object(alone));
            read.map_err(|error| match parameters[&name]["type"].as_str() {
                Some("integer") => messages::whole_number_expected(&name, &value),
                _ => format!("{name}: {error}"),
            })?;
            all.insert(name, value);
        }
        let arguments = ToolArguments::deserialize(Value::Object(all));
        let arguments = arguments.map_err(|error| error.to_string())?;
        arguments.check().map(|()| arguments)
    }

    fn check(&self) -> Result<(), String> {
        let (min_budget, max_budget) = BUDGETS;
        in_range("min_percent", self.min_percent, 0.0, 100.0)?;
        in_range("budget", self.budget, min_budget, max_budget)?;
        in_range("depth", self.depth, 0, MAX_DEPTH)?;
        self.range()?;
        if self.node.is_some() && (self.under.is_some() || !self.method.is_empty()) {
            return Err(messages::NODE_OR_METHOD.into());
        }
        self.requests().map(drop)
    }

    pub(super) fn budget(&self) -> usize {
        self.budget.unwrap_or(DEFAULT_BUDGET)
    }

    pub(super) fn with_budget(&self, budget: usize) -> ToolArguments {
        ToolArguments {
            budget: Some(budget),
            ..self.clone()
        }
    }

    pub(super) fn by(&self) -> Option<MethodOrder> {
        MethodOrder::named(self.by.as_deref()?)
    }

    pub(super) fn reject_display_steps(&self) -> Result<(), String> {
        match self.requests()?.iter().position(StepRequest::is_display) {
            Some(at) => Err(messages::only_changes_a_tree(&self.steps[at])),
            None => Ok(()),
        }
    }

    pub(super) fn thread_request(&self) -> ThreadRequest {
        ThreadRequest {
            threads: self.threads.clone(),
            processes: self.process.iter().cloned().collect(),
            prefers_main: true,
            ..ThreadRequest::default()
        }
    }

    pub(super) fn range(&self) -> Result<RangeRequest, String> {
        let read = |name: &str, text: &Option<String>| {
            let bound = text.as_deref().map(parse_range_end).transpose();
            bound.map_err(|sentence| format!("{name}: {sentence}"))
        };
        Ok(RangeRequest {
            from: read("from", &self.from)?,
            until: read("until", &self.until)?,
        })
    }

    pub(super) fn own_code(&self) -> Vec<String> {
        let texts = self.own_code.iter().flat_map(|text| text.split(','));
        texts.map(|text| text.trim().to_string()).collect()
    }

    pub(super) fn requests(&self) -> Result<Vec<StepRequest>, String> {
        let parse = |step: &String| match step == INVERTED {
            true => Err(messages::INVERTED_IS_AN_ARGUMENT.to_string()),
            false => StepRequest::parse(step).map_err(|error| in_tool_terms(&error.to_string())),
        };
        self.steps.iter().map(parse).collect()
    }
}

/// Converts the arguments of clients that send lists and numbers as strings, a string in place of a list, or numbers for
/// nodes and threads.
fn coerced(name: &str, parameter: &Value, value: Value) -> Value {
    let kind = parameter["type"].as_str().unwrap_or_default();
    match (kind, value) {
        ("array", Value::String(text)) => match serde_json::from_str(&text) {
            Ok(Value::Array(items)) => coerced(name, parameter, items.into()),
            _ => json!([text]),
        },
        ("array", Value::Array(items)) => {
            let text = |row| match row {
                Value::Number(number) => number.to_string().into(),
                other => other,
            };
            items.into_iter().map(text).collect()
        }
        ("integer" | "number" | "boolean", Value::String(text)) => {
            let parsed = serde_json::from_str(text.trim()).ok();
            let parsed = parsed.filter(|value: &Value| value.is_number() || value.is_boolean());
            parsed.map_or(text.into(), |parsed| coerced(name, parameter, parsed))
        }
        ("integer", Value::Number(number)) => match number.as_f64() {
            Some(whole) if !number.is_u64() && whole >= 0.0 && whole.fract() == 0.0 => {
                json!(whole as u64)
            }
            _ => number.into(),
        },
        ("string", Value::Number(number)) if name == "node" => format!("n{number}").into(),
        ("string", Value::String(text))
            if name == "node"
                && text.starts_with(|c: char| c.is_ascii_digit())
                && text.bytes().all(|c| c.is_ascii_digit() || c == b'+') =>
        {
            format!("n{text}").into()
        }
        (_, other) => other,
    }
}

fn in_range<T: PartialOrd + Display>(
    name: &str,
    given: Option<T>,
    min: T,
    max: T,
) -> Result<(), String> {
    match given.filter(|given| *given < min || *given > max) {
        Some(given) => Err(messages::number_expected(&name, &min, &max, &given)),
        None => Ok(()),
    }
}

fn check_choice(name: &str, parameter: &Value, value: &Value) -> Result<(), String> {
    match (parameter["enum"].as_array(), value.as_str()) {
        (Some(choices), Some(requested)) if !choices.contains(value) => {
            let choices: Vec<&str> = choices.iter().filter_map(Value::as_str).collect();
            let choices = choices.join(", ");
            Err(messages::one_expected(&name, &choices, &requested))
        }
        _ => Ok(()),
    }
}

/// Options become arguments, commands become tools.
pub(super) fn in_tool_terms(sentence: &str) -> String {
    let sentence = sentence.strip_prefix("--").unwrap_or(sentence);
    let sentence = match sentence.strip_prefix("METHOD ") {
        Some(rest) => format!("method {rest}"),
        None => sentence.to_string(),
    };
    with_tool_names(&replaced(&sentence, &messages::OPTIONS))
}

fn replaced(text: &str, pairs: &[(&str, &str)]) -> String {
    let pairs = pairs.iter();
    pairs.fold(text.to_string(), |text, (from, to)| text.replace(from, to))
}

pub(super) fn with_tool_names(text: &str) -> String {
    replaced(text, &messages::COMMANDS)
}

#[cfg(test)]
mod tests;
