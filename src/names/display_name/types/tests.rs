use super::*;

#[track_caller]
fn check(il: &str, expect: &str) {
    assert_eq!(
        shown(
            il,
            TypeContext {
                arity: 1,
                ..TypeContext::TOP
            }
        ),
        expect,
        "{il}"
    );
}

#[test]
fn il_types() {
    check("class System.String[]", "String[]");
    check("unsigned int8[]", "Byte[]");
    check(
        "value class System.ReadOnlyMemory`1<unsigned int8>",
        "ReadOnlyMemory<Byte>",
    );
    check("valuetype [System.Runtime]System.Int128&", "Int128&");
    check(
        "class [System.Runtime]System.Func`2<!!0,bool>",
        "Func<M1,Boolean>",
    );
    check(
        "class System.Collections.Generic.IEnumerable`1<!0>",
        "IEnumerable<T>",
    );
    check(
        "class System.Func`3<!!0,int32,class System.Threading.Tasks.Task`1<!!1>>",
        "Func<M1,Int32,Task<M2>>",
    );
    check("float64[,]", "Double[,]");
    check("void*", "Void*");
    check("class Tables<!0,!1>", "Tables<T,T2>");
}

#[test]
fn type_arguments() {
    check(
        "System.Collections.Generic.List`1[System.String]",
        "List<String>",
    );
    check("System.Collections.Generic.List`1", "List<T>");
    check(
        "System.Collections.Generic.List`1[System.Byte[]]",
        "List<Byte[]>",
    );
    check(
        "System.Collections.Generic.Dictionary`2[System.__Canon,System.Int32]",
        "Dictionary<T1,Int32>",
    );
    check("System.Func`17", "Func<T1…T17>");
    check(
        "System.List`1[[System.String, mscorlib, Version=4.0.0.0]]",
        "List<String>",
    );
    check(
        "Outer`1+Inner`2[System.Int32,System.__Canon,System.Char]",
        "Outer<Int32>.Inner<T1,Char>",
    );
    check(
        "Acme.Pipe+<>c__DisplayClass12_0+<<Run>b__3>d",
        "Pipe.Run.lambda 3",
    );
}

#[test]
fn depth_is_bounded() {
    let deep = format!("{}X{}", "A`1[".repeat(40), "]".repeat(40));
    let expect = format!(
        "{}…{}",
        "A<".repeat(MAX_DEPTH + 1),
        ">".repeat(MAX_DEPTH + 1)
    );
    check(&deep, &expect);
}
