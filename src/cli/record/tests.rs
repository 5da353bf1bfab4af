use super::*;
use crate::record::processes::Facts;

fn process(pid: u32, name: &str, arguments: &[&str]) -> RunningProcess {
    let mut facts = Facts::default();
    facts.arguments = arguments.iter().map(ToString::to_string).collect();
    RunningProcess {
        pid,
        name: name.into(),
        facts,
        obstacle: None,
    }
}

#[track_caller]
fn check(name: &str, expect: Result<u32, &str>) {
    let processes = vec![
        process(
            1,
            "Shop",
            &["/usr/bin/dotnet", "/srv/Shop.dll", "--port", "80"],
        ),
        process(2, "Stock", &["/srv/Stock", "orders.txt"]),
        process(3, "dotnet", &["/usr/bin/dotnet", "run"]),
        process(
            6,
            "Worker",
            &[
                "/usr/bin/dotnet",
                "/srv/Worker.dll",
                "/srv/plugins/Shop.dll",
            ],
        ),
        process(4, "Bill", &["/usr/bin/dotnet", "exec", "/srv/Bill.dll"]),
        process(5, "Bill", &["/usr/bin/dotnet", "exec", "/srv/Bill.dll"]),
    ];
    assert_eq!(
        pid_of(name, processes).map_err(|error| error.to_string()),
        expect.map_err(String::from)
    );
}

#[test]
fn processes_are_found_by_their_names() {
    check("shop", Ok(1));
    check(
        "Shop.dll",
        Err("2 processes are named Shop.dll: 1, 6; choose one with --pid"),
    );
    check("Worker.dll", Ok(6));
    check("stock", Ok(2));
    check(
        "orders.txt",
        Err("no .NET process is named orders.txt; `dotspot ps` lists them"),
    );
    check(
        "bill",
        Err("2 processes are named bill: 4, 5; choose one with --pid"),
    );
    check(
        "nobody",
        Err("no .NET process is named nobody; `dotspot ps` lists them"),
    );
}
