use super::*;

#[test]
fn the_stem_of_a_path_of_any_system() {
    #[track_caller]
    fn check(path: &str, expect: &str) {
        assert_eq!(file_stem(path), expect);
    }
    check("/usr/lib/System.Linq.dll", "System.Linq");
    check(r"C:\a.b\Acme.Orders.exe", "Acme.Orders");
    check("Acme", "Acme");
    check("", "");
}
