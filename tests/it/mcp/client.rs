//! The SDK's own client, connected to the program's standard input and output.

use super::{SAMPLE, snapshots};
use rmcp::ServiceExt as _;
use rmcp::model::{CallToolRequestParams, ReadResourceRequestParams};
use rmcp::service::{RoleClient, RunningService};
use serde_json::{Map, Value, json};
use std::process::Stdio;
use tokio::process::{Child, Command};

type Client = RunningService<RoleClient, ()>;

/// Starts a server and connects a client to it.
async fn connect(folders: &[&str]) -> (Client, Child) {
    let mut server = Command::new(env!("CARGO_BIN_EXE_dotspot"))
        .arg("mcp")
        .args(folders)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let wire = (server.stdout.take().unwrap(), server.stdin.take().unwrap());
    (().serve(wire).await.unwrap(), server)
}

/// Runs an asynchronous conversation.
fn run(conversation: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(conversation);
}

async fn call_tool(client: &Client, tool: &str, arguments: Value) -> String {
    let Value::Object(arguments) = arguments else {
        panic!()
    };
    let arguments: Map<String, Value> = arguments;
    let params = CallToolRequestParams::new(tool.to_string()).with_arguments(arguments);
    let result = client.call_tool(params).await.unwrap();
    let text = result.content[0].as_text().unwrap().text.clone();
    assert_eq!(result.is_error, Some(false), "{text}");
    text
}

/// Numbers are those in the README, confirmed by another reader of the recording.
#[test]
fn every_tool_answers() {
    run(async {
        let (client, mut server) = connect(&[&snapshots()]).await;
        let tools: Vec<String> = client
            .list_all_tools()
            .await
            .unwrap()
            .iter()
            .map(|tool| tool.name.to_string())
            .collect();
        assert_eq!(
            tools,
            [
                "list_profiles",
                "open_profile",
                "info",
                "hotspots",
                "methods",
                "tree",
                "callers",
                "callees",
                "waits",
                "timeline",
                "search",
                "compare",
                "report"
            ]
        );
        let opened = call_tool(&client, "open_profile", json!({"profile": SAMPLE})).await;
        assert!(
            opened.contains("metric CPU 5,208.6 ms, 2,429.1 ms of it in waits and spins (default)")
                && opened.contains("caution gc-polls: 10.8 %"),
            "{opened}"
        );
        let row = "31.0 1,617.2 31.1 1,618.9 0.0 1,260 n795 PriceRules.Discount\n";
        assert!(opened.contains(row), "{opened}");
        for (tool, arguments, words) in [
            (
                "info",
                json!({}),
                "thread n1495 Thread (11050): CPU 1,116.8 ms",
            ),
            ("hotspots", json!({"user_code": true}), row),
            (
                "methods",
                json!({"filter": "pricerules", "sort": "inclusive"}),
                "37 n794 PriceRules.Evaluate\n",
            ),
            ("tree", json!({"node": "n794"}), "1 n795 100.0 "),
            (
                "tree",
                json!({"inverted": true, "budget": 300}),
                "1 n13 31.0 1,617.2 0.0 1,259 PriceRules.Discount",
            ),
            (
                "callers",
                json!({"method": "PriceRules.Discount"}),
                "1 n12 100.0 1,618.9 1,617.2 1,260 PriceRules.Evaluate",
            ),
            (
                "callees",
                json!({"method": "PriceRules.Evaluate"}),
                "1 n13 99.9 1,618.9 1,617.2 1,260 PriceRules.Discount",
            ),
            (
                "search",
                json!({"text": "discount"}),
                "31.0 1,617.2 31.1 1,618.9 1,260 n795 PriceRules.Discount\n",
            ),
            (
                "compare",
                json!({"before": "js-ordered-consume.calltree.json", "metric": "CPU"}),
                "### CPU: 5,208.6 → 5,208.6 ms",
            ),
            ("report", json!({"budget": 1_000}), "PriceRules.Discount"),
            (
                "report",
                json!({"method": "PriceRules.Evaluate", "budget": 1_000}),
                "PriceRules.Discount",
            ),
            (
                "hotspots",
                json!({"steps": ["drop:PriceRules.Discount"]}),
                "CPU 3,589.7 ms = 100 %",
            ),
        ] {
            let mut arguments = arguments;
            arguments["profile"] = SAMPLE.into();
            let answer = call_tool(&client, tool, arguments).await;
            assert!(answer.contains(words), "{tool}: {answer}");
        }
        client.cancel().await.unwrap();
        assert_eq!(server.wait().await.unwrap().code(), Some(0));
    });
}

#[test]
fn formats_are_a_resource() {
    run(async {
        let (client, _server) = connect(&[&snapshots()]).await;
        let resources = client.list_all_resources().await.unwrap();
        let uris: Vec<&str> = resources.iter().map(|found| found.uri.as_str()).collect();
        assert_eq!(uris, ["dotspot:formats"]);
        let params = ReadResourceRequestParams::new(uris[0]);
        let read = client.read_resource(params).await.unwrap();
        let contents = serde_json::to_value(&read.contents[0]).unwrap();
        assert!(contents["text"].as_str().unwrap().contains("\nnettrace: "));
    });
}
