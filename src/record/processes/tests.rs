use super::*;

#[test]
fn a_program_is_named_after_its_assembly_or_file() {
    #[track_caller]
    fn check(arguments: &[&str], expect: &str) {
        let arguments: Vec<String> = arguments.iter().map(|part| part.to_string()).collect();
        assert_eq!(name_in(&arguments), expect);
    }
    check(&["dotnet", "/srv/Stock.Api.dll", "--x"], "Stock.Api");
    check(&["/srv/Stock.Api", "--x"], "Stock.Api");
    check(&["Stock.EXE"], "Stock");
    check(&[], "");
    if cfg!(windows) {
        let dotnet = r"C:\Program Files\dotnet\dotnet.exe";
        check(&[dotnet, r"C:\my apps\Stock.dll", "--x"], "Stock");
        check(&[r"C:\my apps\Läger.exe"], "Läger");
    }
}

#[cfg(target_os = "linux")]
mod of_linux {
    use super::*;
    use std::os::unix::net::UnixListener;
    /// A process that accepts connections but does not answer: this one.
    #[test]
    fn silent_processes_are_listed_in_time() {
        let folder = tempfile::tempdir().unwrap();
        let pid = std::process::id();
        let facts = Facts::of(pid).unwrap();
        assert!(!system::is_listening(pid, &facts));
        let _listener = UnixListener::bind(folder.path().join(facts.socket_name())).unwrap();
        assert!(system::is_listening(pid, &facts));
        let start = Instant::now();
        let listed = list(Some(folder.path()));
        assert!(start.elapsed() < 5 * ASK_TIMEOUT, "{:?}", start.elapsed());
        let ours = listed
            .iter()
            .find(|process| process.pid == pid)
            .expect("it is listed");
        assert_eq!(ours.obstacle, Some(Obstacle::Silent("running".into())));
    }

    #[test]
    fn lookalikes_of_sockets_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let pid = std::process::id();
        let facts = Facts::of(pid).unwrap();
        std::fs::write(folder.path().join(facts.socket_name()), "").unwrap();
        let _longer =
            UnixListener::bind(folder.path().join(format!("x{}", facts.socket_name()))).unwrap();
        assert!(!system::is_listening(pid, &facts));
        assert_eq!(
            system::port_of(pid, &facts, Some(folder.path())).err(),
            Some(Obstacle::NotDotnet)
        );
    }

    #[test]
    fn processes_of_a_group_are_found_without_looking_at_all_of_them() {
        use std::os::unix::process::CommandExt as _;
        let mut leader = std::process::Command::new("sh")
            .args(["-c", "sleep 60 & wait"])
            .process_group(0)
            .spawn()
            .unwrap();
        let until = Instant::now() + Duration::from_secs(10);
        while system::pids_in_group(leader.id()).len() != 2 && Instant::now() < until {
            thread::sleep(Duration::from_millis(10));
        }
        let pids = system::pids_in_group(leader.id());
        assert!(pids.len() == 2 && pids.contains(&leader.id()), "{pids:?}");
        let group = rustix::process::Pid::from_child(&leader);
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
        leader.wait().unwrap();
    }
}

#[cfg(windows)]
mod of_windows {
    use super::*;

    #[test]
    fn non_dotnet_processes_are_distinguished_from_missing_ones() {
        let pid = std::process::id();
        let (name, obstacle) = find(pid, None).err().unwrap();
        assert_eq!(obstacle, Obstacle::NotDotnet);
        assert!(name.starts_with("dotspot"), "{name}");
        let nobody = find(0x7FFF_FFFC, None).err().unwrap();
        assert_eq!(nobody, (String::new(), Obstacle::NoProcess));
        let facts = Facts::of(pid).unwrap();
        assert!(
            facts
                .uptime
                .is_some_and(|uptime| uptime < Duration::from_secs(86_400))
        );
        println!("{facts:?}");
    }

    #[test]
    fn processes_of_others_need_an_administrator() {
        let sentence = diagnose(&PortError::Forbidden, 4).sentence(4, "w3wp");
        assert_eq!(
            sentence,
            "process 4 (w3wp) belongs to another user or runs as administrator; run this in an elevated terminal"
        );
    }
}
