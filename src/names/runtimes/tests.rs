use super::*;

/// Each frame's name and location, and whose code it is.
#[track_caller]
fn check(frames: &[(&str, &str, Category)]) {
    let mut runtimes = Runtimes::default();
    for (name, location, _) in frames {
        runtimes.note(FrameKind::Method, name, location, Category::User);
    }
    assert!(!runtimes.has_dotnet);
    for &(name, location, expect) in frames {
        let category = runtimes.category(FrameKind::Method, name, location, Category::Native);
        assert_eq!(category, expect, "{name} {location}");
    }
}

#[test]
fn a_program_in_rust() {
    check(&[
        ("pp::discount", "", Category::User),
        ("pp::main::{{closure}}", "", Category::User),
        ("<pp::Shop as core::fmt::Display>::fmt", "", Category::User),
        ("main", "", Category::User),
        ("<u64>::wrapping_add", "", Category::System),
        (
            "<alloc::boxed::Box<dyn pp::Rule> as core::ops::FnOnce>::call_once",
            "",
            Category::System,
        ),
        (
            "<&dyn core::ops::function::Fn<(), Output = i32>>::call",
            "",
            Category::System,
        ),
        ("std::rt::lang_start_internal", "", Category::System),
        (
            "_ZN4core3ops8function6FnOnce9call_once17h1E",
            "",
            Category::System,
        ),
        ("standard::Shop::open", "", Category::User),
        ("__GI___clock_gettime", "", Category::Native),
        ("start_thread", "", Category::Native),
        ("malloc", "", Category::Native),
        ("/usr/lib/libc.so.6!fsync", "", Category::Native),
        (
            "/usr/lib/ld-linux-x86-64.so.2!__tls_get_addr",
            "",
            Category::Native,
        ),
        ("/opt/shop/libshop.so!price", "", Category::User),
        ("[kernel.kallsyms]!finish_task_switch", "", Category::Native),
        ("shop!?", "", Category::Native),
    ]);
}

#[test]
fn a_program_in_go() {
    check(&[
        ("runtime.goexit", "", Category::System),
        ("runtime.mallocgc", "", Category::System),
        ("main.main", "", Category::User),
        ("main.(*Shop).Price", "", Category::User),
        ("github.com/acme/shop/price.Discount", "", Category::User),
        ("encoding/json.(*Decoder).Decode", "", Category::System),
        ("net/http.(*conn).serve", "", Category::System),
        ("aeshashbody", "", Category::System),
        // C that Go calls
        ("my_kernel", "", Category::User),
    ]);
}

#[test]
fn a_program_in_java() {
    check(&[
        ("java/util/HashMap:.get_[j]", "", Category::System),
        (
            "Lsun/reflect/DelegatingMethodAccessorImpl;::invoke",
            "",
            Category::System,
        ),
        ("org/acme/Shop:.price_[j]", "", Category::User),
        ("org.acme.Shop.price", "", Category::User),
        ("Lorg/acme/Shop;::price", "", Category::User),
        ("JavaCalls::call_helper", "", Category::Native),
        ("SpinPause", "", Category::Native),
        // the program, which stack collapsers put below the thread
        ("java", "", Category::Native),
        ("tcp_ack_[k]", "", Category::Native),
    ]);
}

#[test]
fn scripts_of_node_and_of_python() {
    check(&[
        ("price", "file:///shop/price.js:3", Category::User),
        (
            "Module._load",
            "node:internal/modules/cjs/loader:757",
            Category::System,
        ),
        ("compileFunction", "", Category::System),
    ]);
    check(&[
        ("price (shop/price.py:12)", "", Category::User),
        (
            "decode (/usr/lib/python3.11/json/decoder.py:337)",
            "",
            Category::System,
        ),
        (
            "get (/venv/lib/python3.11/site-packages/requests/api.py:62)",
            "",
            Category::Library,
        ),
        (
            "_find_and_load (<frozen importlib._bootstrap>:1176)",
            "",
            Category::System,
        ),
        // without a stack that starts in C, it may be anybody's
        ("read", "", Category::User),
    ]);
}

#[test]
fn dotnet_code_keeps_its_rules() {
    for (name, category) in [
        ("System.Linq!System.Linq.Enumerable.Sum()", Category::System),
        (
            "int32 [Workload] Demo.Deep::Level(int32,int32)",
            Category::User,
        ),
        ("/usr/share/dotnet/libcoreclr.so!JIT_New", Category::Native),
    ] {
        let mut runtimes = Runtimes::default();
        runtimes.note(FrameKind::Method, name, "", category);
        assert!(runtimes.has_dotnet, "{name}");
    }
}
