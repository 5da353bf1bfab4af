use super::*;

#[test]
fn lines_describe_images() {
    #[track_caller]
    fn check(line: &str, expect: Option<(&str, &str, u64)>) {
        let found = image(line);
        let found = found
            .as_ref()
            .map(|(path, image)| (*path, image.map.as_str(), image.base));
        assert_eq!(found, expect, "{line}");
    }
    check(
        "ImageLoad;/usr/share/System.Private.CoreLib.dll;{FE21-9B};0x7f0010",
        Some((
            "/usr/share/System.Private.CoreLib.dll",
            "system.private.corelib.ni.{fe21-9b}.map",
            0x7f0010,
        )),
    );
    check(
        "ImageLoad;/a/mscorlib.ni.dll;{ab};00007F10\r",
        Some(("/a/mscorlib.ni.dll", "mscorlib.ni.{ab}.map", 0x7f10)),
    );
    check(
        "ImageLoad;/a/x.dll;ab",
        Some(("/a/x.dll", "x.ni.{ab}.map", 0)),
    );
    check("ImageLoad;x", None);
    check("RuntimeStart;1", None);
    check("", None);
}

#[test]
fn images_have_their_extensions() {
    assert!(is_image("/a/System.Private.CoreLib.dll") && is_image("App.EXE"));
    assert!(!is_image("libc.so") && !is_image("ä") && !is_image("dll"));
}
