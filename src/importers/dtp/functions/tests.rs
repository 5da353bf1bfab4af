use super::*;

#[test]
fn file_stems_of_windows_and_unix_paths() {
    #[track_caller]
    fn check(path: &str, expect: &str) {
        assert_eq!(file_stem(path), expect);
    }
    check("/usr/lib/System.Linq.dll", "System.Linq");
    check(r"C:\a.b\Acme.Orders.exe", "Acme.Orders");
    check("Acme", "Acme");
    check("", "");
}
