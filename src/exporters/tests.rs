use super::*;

#[test]
fn file_names_determine_the_format() {
    for (name, format) in [
        ("a.json", "calltree"),
        ("a.JSON.gz", "calltree"),
        ("a.speedscope.json", "speedscope"),
        ("A.Speedscope.Json.gz", "speedscope"),
        ("a.chromium.json", "trace-event"),
        ("a.folded", "collapsed"),
        ("a.collapsed.gz", "collapsed"),
        ("a.pb", "pprof"),
        ("a.pb.gz", "pprof"),
        ("a.pprof", "pprof"),
        ("speedscope", "calltree"),
        ("a.gz", "calltree"),
        (".hidden", "calltree"),
        ("", "calltree"),
    ] {
        assert_eq!(
            exporter_for(name).map(|exporter| exporter.name),
            Some(format),
            "{name}"
        );
    }
}

#[test]
fn unknown_extensions_have_no_format() {
    for (name, other) in [
        ("a.txt", ".txt"),
        ("a.json.bak", ".bak"),
        ("a.txt.gz", ".txt"),
        ("ä.ö", ".ö"),
        ("a.", "."),
    ] {
        assert_eq!(
            exporter_for(name).map(|exporter| exporter.name),
            None,
            "{name}"
        );
        assert_eq!(extension(name), other, "{name}");
    }
}
