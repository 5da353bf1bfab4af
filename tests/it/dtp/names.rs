//! Names and signatures, from the metadata embedded in a snapshot.

use super::{good, read};
use crate::common::dtp_writer::{Function, Kind, Snapshot, Style, Thread, Type, one_file};
use crate::common::profiles::names_behind;
use crate::common::shared;
use dotspot::testing::diagnostics::Anomaly;
use dotspot::testing::model::{NodeId, View};
use dotspot::testing::names::FrameKind;

/// Reads a snapshot with one thread that calls these functions.
fn with_functions(mut snapshot: Snapshot, functions: &[Function]) -> View {
    let mut thread = Thread::new(1, 2, "");
    for &function in functions {
        thread.add(Thread::ROOT, function, 5, 1);
    }
    snapshot.threads.push(thread);
    good(read(one_file(&snapshot.sections())))
}

/// Checks the displayed name of a method without parameters, in a module of this style.
#[track_caller]
fn check_name(style: Style, name: &str, expect: &str) {
    let mut snapshot = Snapshot::new(Kind::Tracing);
    // with other methods before and after it, so that rows, lists and nesting matter
    let first = snapshot.method("Acme!Acme.Before+Inner+Innermost.Run");
    let function = snapshot.method(name);
    let last = snapshot.method("Acme!Acme.Zebra+Inner.Run");
    for module in &mut snapshot.modules {
        module.style = style;
    }
    let profile = with_functions(snapshot, &[first, function, last]);
    assert_eq!(profile.codes(), [""; 0]);
    let (first, last) = (
        "Acme!Acme.Before+Inner+Innermost.Run",
        "Acme!Acme.Zebra+Inner.Run",
    );
    for name in [first, expect, last] {
        assert_eq!(profile.frames.find(name).len(), 1, "{name}");
    }
}

#[test]
fn names_of_all_kinds() {
    for name in [
        "Acme!Acme.Orders.Book.Match",
        "Acme!Acme.Orders.Book+Level+Enumerator.MoveNext",
        "Acme!NoNamespace.Run",
        "Acme!<Module>.Main",
        "Acme!Program.<Main>$",
        "Acme!Acme.List`1..ctor",
        "Acme!Acme.List`1..cctor",
        "Acme!Acme.Book+<>c__DisplayClass4_0.<Run>b__1",
        "Acme!Acme.Book+<ConsumeAsync>d__12.MoveNext",
        "Other.Module!Größe.値.Run",
    ] {
        for style in STYLES {
            check_name(style, name, name);
        }
    }
    // a module without an assembly is named after its file
    let style = Style {
        no_assembly: true,
        ..PLAIN
    };
    check_name(style, "Acme!Acme.Book.Match", "Acme!Acme.Book.Match");
}

#[test]
fn a_module_with_more_than_65535_methods_has_wide_rows() {
    let mut snapshot = Snapshot::new(Kind::Tracing);
    let mut thread = Thread::new(1, 2, "");
    for method in 0..70_000 {
        let function = snapshot.method(&format!("Acme!Acme.T{}.M{method}", method / 100));
        if method % 10_000 == 9_999 {
            thread.add(Thread::ROOT, function, 5, 1);
        }
    }
    snapshot.threads.push(thread);
    let profile = good(read(one_file(&snapshot.sections())));
    let names = names_behind(&profile, 2);
    assert_eq!(names[0], "Acme!Acme.T199.M19999");
    assert_eq!(names[6], "Acme!Acme.T99.M9999");
}

/// A profile of the methods that `make` adds to a snapshot of this style.
fn profile_of(style: Style, make: impl Fn(&mut Snapshot) -> Vec<Function>) -> View {
    let mut snapshot = Snapshot::new(Kind::Tracing);
    let functions = make(&mut snapshot);
    for module in &mut snapshot.modules {
        module.style = style;
    }
    with_functions(snapshot, &functions)
}

/// The names of methods in lists, sorted.
fn list_names(profile: &View) -> Vec<String> {
    let methods = profile.frames.iter();
    let methods = methods.filter(|(_, frame)| frame.kind == FrameKind::Method);
    let names = methods.map(|(id, _)| profile.frames.list_name(id).into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

const PLAIN: Style = Style {
    wide_heaps: false,
    unoptimized: false,
    extra_number: false,
    no_assembly: false,
};
const WIDE: Style = Style {
    wide_heaps: true,
    ..PLAIN
};
const STYLES: [Style; 4] = [
    PLAIN,
    WIDE,
    Style {
        unoptimized: true,
        ..PLAIN
    },
    Style {
        unoptimized: true,
        extra_number: true,
        ..WIDE
    },
];

#[test]
fn type_parameters_are_named_as_in_the_source() {
    for style in STYLES {
        let profile = profile_of(style, |snapshot| {
            let parameters = [Type::Var(0), Type::Var(1)];
            let map = snapshot.method_with("Acme!Acme.Map`2.Add", 0, &parameters, &Type::Void);
            let nested = snapshot.method("Acme!Acme.Map`2+Walker.MoveNext");
            let any = snapshot.method_with("Acme!Acme.Items.Any", 1, &[Type::MVar(0)], &Type::Bool);
            let plain = snapshot.method("Acme!Acme.Pair`2.Swap");
            let module = &mut snapshot.modules[0];
            module.name_type_parameters("Acme.Map`2", &["TKey", "TValue"]);
            module.name_type_parameters("Acme.Map`2+Walker", &["TKey", "TValue"]);
            let Function::Method(_, method) = any else {
                panic!("a method")
            };
            module.name_type_parameters_of_method(method, &["TItem"]);
            vec![map, nested, any, plain]
        });
        let expect = [
            "Items.Any",
            "Map<TKey,TValue>.Add",
            "Map<TKey,TValue>.Walker.MoveNext",
            "Pair<T1,T2>.Swap",
        ];
        assert_eq!(list_names(&profile), expect);
    }
}

/// Lists show arguments only for methods with equal names.
#[test]
fn overloads_are_distinguished_where_necessary() {
    for style in STYLES {
        let profile = profile_of(style, |snapshot| {
            let bag = |name: &str| format!("Acme!Acme.Bag`1.{name}");
            let many = Type::Array(Box::new(Type::Var(0)));
            let functions = vec![
                snapshot.method_with(&bag("Add"), 0, &[Type::Var(0)], &Type::Void),
                snapshot.method_with(&bag("Add"), 0, &[many, Type::Int32], &Type::Void),
                snapshot.method(&bag(".ctor")),
                snapshot.method_with(&bag(".ctor"), 0, &[Type::Int32], &Type::Void),
                snapshot.method_with(&bag("Clear"), 0, &[Type::Bool], &Type::Void),
                snapshot.method("Other!Other.Shop.Sell"),
                snapshot.method("Other!Another.Shop.Sell"),
                snapshot.method_with("Acme!Acme.Items.All", 1, &[Type::MVar(0)], &Type::Bool),
                snapshot.method_with("Acme!Acme.Items.All", 1, &[Type::Object], &Type::Bool),
            ];
            snapshot.modules[0].name_type_parameters("Acme.Bag`1", &["TItem"]);
            functions
        });
        let expect = [
            "Another.Shop.Sell",
            "Bag<TItem>.Add(TItem)",
            "Bag<TItem>.Add(TItem[], Int32)",
            "Bag<TItem>.Clear",
            "Items.All(M1)",
            "Items.All(Object)",
            "Other.Shop.Sell",
            "new Bag<TItem>()",
            "new Bag<TItem>(Int32)",
        ];
        assert_eq!(list_names(&profile), expect);
    }
}

/// As in .NET's sources: `Dictionary<TKey, TValue>`, `EventProvider.Dispose()` and `Dispose(bool)`.
#[test]
fn overloads_in_a_real_snapshot_are_distinguished() {
    let path = present!(shared("dtp/Issue254.dtp"));
    let names = list_names(&good(super::read_file(&path)));
    for expect in [
        "new Dictionary<TKey,TValue>()",
        "new Dictionary<TKey,TValue>(Int32, IEqualityComparer<TKey>)",
        "EventProvider.Dispose()",
        "EventProvider.Dispose(Boolean)",
        "Dictionary<TKey,TValue>.FindValue",
        "Enumerable.SelectManySingleSelectorIterator<TSource,TResult>.ToList",
        "Array.BinarySearch(T[], T)",
        "Array.BinarySearch(T[], Int32, Int32, T, IComparer<T>)",
    ] {
        let count = names.iter().filter(|name| *name == expect).count();
        assert_eq!(count, 1, "{expect}");
    }
    let bare = ["new Dictionary<TKey,TValue>", "EventProvider.Dispose"];
    assert!(!names.iter().any(|name| bare.contains(&&**name)));
}

/// Checks the signature of a method with these types in modules of all styles.
#[track_caller]
fn check_signature(parameters: &[Type], returns: &Type, expect: &str) {
    for style in STYLES {
        let mut snapshot = Snapshot::new(Kind::Tracing);
        let function = snapshot.method_with("Acme!Acme.Book.Match", 0, parameters, returns);
        snapshot.method("Acme!Acme.Order+Line.Run");
        snapshot.modules[0].style = style;
        let profile = with_functions(snapshot, &[function]);
        let frame = profile.tree.frame(NodeId(2));
        assert_eq!(profile.frames.signature(frame), expect);
    }
}

fn class(name: &str) -> Type {
    Type::Class(name.into())
}

fn boxed(ty: Type) -> Box<Type> {
    Box::new(ty)
}

#[test]
fn signatures_look_as_in_event_traces() {
    use Type::*;
    let generic = |ty: Type, arguments: &[Type]| Generic(boxed(ty), arguments.to_vec());
    let strings = Array(boxed(String));
    let date = ByRef(boxed(Value("System.DateTime".into())));
    let nullable = generic(Value("System.Nullable`1".into()), &[Int32]);
    let any = generic(class("System.Collections.Generic.IEnumerable`1"), &[Var(0)]);
    let pair = generic(class("D`2"), &[String, Array(boxed(Int32))]);
    let volatile = Optional(boxed(class("IsConst")), boxed(Char));
    let read_only = Required(
        boxed(class("System.Runtime.InteropServices.InAttribute")),
        boxed(ByRef(boxed(Char))),
    );
    let called = Function(vec![Int32, Bool], boxed(Void));
    let specified = Specified(boxed(generic(class("L`1"), &[Int32])));
    for (parameters, expect) in [
        (&[][..], "() : void"),
        (
            &[String, Int32, Bool],
            "(class System.String,int32,bool) : void",
        ),
        (
            &[Char, Int64, Float64, Object],
            "(wchar,int64,float64,class System.Object) : void",
        ),
        (&[strings], "(class System.String[]) : void"),
        (&[date], "(value class System.DateTime&) : void"),
        (&[Pointer(boxed(Pointer(boxed(Char))))], "(wchar**) : void"),
        // a nested type of the module itself, and of another module
        (
            &[class("Acme.Order+Line")],
            "(class Acme.Order+Line) : void",
        ),
        (&[class("System.A+B+C")], "(class System.A+B+C) : void"),
        (
            &[any, MVar(1)],
            "(class System.Collections.Generic.IEnumerable`1<!0>,!!1) : void",
        ),
        (&[pair], "(class D`2<class System.String,int32[]>) : void"),
        (
            &[Pointer(boxed(volatile))],
            "(wchar modopt(IsConst)*) : void",
        ),
        (&[called], "(fnptr void(int32,bool)) : void"),
        (&[specified], "(class L`1<int32>) : void"),
        (
            &[Shaped(boxed(Int32), 2), Shaped(boxed(Int32), 3)],
            "(int32[,],int32[,,]) : void",
        ),
    ] {
        check_signature(parameters, &Void, expect);
    }
    for (returns, expect) in [
        (nullable, "() : value class System.Nullable`1<int32>"),
        (
            read_only,
            "() : wchar& modreq(System.Runtime.InteropServices.InAttribute)",
        ),
    ] {
        check_signature(&[], &returns, expect);
    }
}

#[test]
fn a_broken_signature_is_empty() {
    let deep = [vec![0x00, 0x01, 0x01], vec![0x0F; 100], vec![0x08]].concat();
    for blob in [
        &[][..],
        &[0x06, 0x08],             // a field's
        &[0x00],                   // no parameter count
        &[0x00, 0x00],             // no return type
        &[0x00, 0x02, 0x01, 0x08], // one parameter of two
        &[0x00, 0x00, 0x01, 0x01], // trailing bytes
        &[0x00, 0x00, 0x7E],       // no such type
        &[0x00, 0x00, 0x12, 0x7C], // a row beyond its table
        &[0x00, 0x00, 0x12, 0x03], // a tag of no table
        &[0x00, 0x00, 0x14, 0x08, 0x7F, 0x00, 0x00],
        &deep,
    ] {
        let mut snapshot = Snapshot::new(Kind::Tracing);
        let function = snapshot.method("Acme!Acme.Book.Match");
        snapshot.modules[0].set_raw_signature(0, blob);
        let profile = with_functions(snapshot, &[function]);
        let frame = profile.tree.frame(NodeId(2));
        assert_eq!(
            (profile.frames.name(frame), profile.frames.signature(frame)),
            ("Acme!Acme.Book.Match", "")
        );
    }
}

#[test]
fn methods_with_the_same_name_stay_separate() {
    let mut snapshot = Snapshot::new(Kind::Tracing);
    let mut thread = Thread::new(1, 2, "");
    let plain = snapshot.method("Acme!Acme.Book.Match");
    // differs in a way that a signature's text does not show
    let generic = snapshot.method_with("Acme!Acme.Book.Match", 1, &[], &Type::Void);
    thread.add(Thread::ROOT, plain, 5, 1);
    thread.add(Thread::ROOT, generic, 7, 1);
    snapshot.threads.push(thread);
    let profile = good(read(one_file(&snapshot.sections())));
    // the hotter one is first in the tree, and was read first, since nodes are read from the end
    let signature = |node| profile.frames.signature(profile.tree.frame(NodeId(node)));
    let expect = ["() : void", "() : void [function 0x00100001]"];
    assert_eq!([2, 3].map(signature), expect);
    assert_eq!(names_behind(&profile, 2), ["Acme!Acme.Book.Match"; 2]);
}

#[test]
fn long_names_are_truncated() {
    let mut snapshot = Snapshot::new(Kind::Tracing);
    let function = snapshot.method(&format!("Acme!Acme.{}.Run", "Ä".repeat(5000)));
    let profile = with_functions(snapshot, &[function]);
    let name = profile.name(NodeId(2));
    let is_cut = name.starts_with("Acme!Acme.Ä") && name.ends_with('…');
    assert!(is_cut && name.len() < 1100, "{name}");
}

#[test]
fn functions_that_are_not_methods() {
    let mut snapshot = Snapshot::new(Kind::Tracing);
    snapshot.method("Acme!Acme.Book.Match");
    let mut thread = Thread::new(1, 2, "");
    let native = thread.add(Thread::ROOT, Function::Id(0), 0, 1);
    // the last three: a row beyond the table, a module without metadata, a row beyond section 0x0120
    let ids = [2, 5, 6, 0x77, 0x0010_0002, 0x0070_0001, 0x8000_0009];
    for (own, id) in (1..).zip(ids) {
        thread.add(native, Function::Id(id), own, 1);
    }
    snapshot.threads.push(thread);
    let profile = good(read(one_file(&snapshot.sections())));
    let names = names_behind(&profile, 2);
    let expect = [
        "[Native code]",
        "[Unresolved function 0x80000009]",
        "[Unresolved function 0x00700001]",
        "[Unresolved function 0x00100002]",
        "[Special 0x77]",
        "[Runtime start]",
        "[Native code, no managed frames]",
        "[Garbage collection]",
    ];
    assert_eq!(names, expect);
    let mut frames = profile.tree.frames()[2..].iter();
    assert!(frames.all(|&frame| profile.frames.get(frame).kind == FrameKind::Special));
    assert_eq!(
        profile.diagnostics,
        [Anomaly::FunctionsUnresolved.with_count(3)]
    );
}

#[test]
fn many_methods_with_one_endless_signature() {
    let mut snapshot = Snapshot::new(Kind::Tracing);
    let long = "x".repeat(900);
    let nested: Vec<String> = (0..30).map(|n| format!("T{n}{long}")).collect();
    snapshot.method(&format!("Acme!Acme.{}.Run", nested.join("+")));
    // 1,900 parameters, each of the 30th type, the innermost after `<Module>`
    let blob = [&[0x00, 0x87, 0x6C, 0x01][..], &[0x12, 0x78].repeat(1900)].concat();
    let mut thread = Thread::new(1, 2, "");
    for number in 0..400 {
        let function = snapshot.method(&format!("Acme!Acme.Book.M{number}"));
        let Function::Method(module, method) = function else {
            panic!("not a method")
        };
        snapshot.modules[module].set_raw_signature(method, &blob);
        thread.add(Thread::ROOT, function, 5, 1);
    }
    snapshot.threads.push(thread);
    let bytes = one_file(&snapshot.sections());
    let start = std::time::Instant::now();
    let profile = good(read(bytes));
    // used to take seconds, because it read past the end of the text
    assert!(start.elapsed().as_millis() < 2000, "{:?}", start.elapsed());
    let signature = profile.frames.signature(profile.tree.frame(NodeId(2)));
    let is_cut = signature.starts_with("(class ") && signature.ends_with('…');
    assert!(is_cut && signature.len() < 1100, "{signature}");
}
