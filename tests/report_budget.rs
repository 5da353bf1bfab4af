//! Reports of real profiles against the tokens that real tokenizers make of them.

mod common;

use dotspot::cli::{OpenOptions, Target, open};
use dotspot::query::{ReportForm, ReportRequest, report};

#[test]
fn calibrate() {
    let bpes = [tiktoken_rs::o200k_base().unwrap(), tiktoken_rs::cl100k_base().unwrap()];
    let files = std::env::var("FILES").unwrap();
    for file in files.split_whitespace() {
        let target = Target::new(Some(std::path::Path::new(file)));
        let view = match open(&target, &OpenOptions::default(), Default::default()) {
            Ok(view) => view,
            Err(e) => {
                println!("SKIP {file} {e}");
                continue;
            }
        };
        for form in [ReportForm::Markdown, ReportForm::Json] {
            let name = std::path::Path::new(file).file_name().unwrap().to_str().unwrap();
            for budget in [300, 400, 600, 1000, 2000, 5000, 20000] {
                let request = ReportRequest {
                    file,
                    within: view.root,
                    metric: None,
                    waiting: None,
                    method: None,
                    node: None,
                    budget,
                    form,
                    question: None,
                    has_raw_names: false,
                };
                match report(&view, &request) {
                    Err(e) => println!("ERR {file} {form:?} {budget} {e}"),
                    Ok(r) => {
                        let real: Vec<usize> =
                            bpes.iter().map(|b| b.encode_with_special_tokens(&r.text).len()).collect();
                        let max = *real.iter().max().unwrap();
                        println!(
                            "R {:.3} {:.3} {form:?} {budget} {real:?} {} {file} rows {} explains {:.0}",
                            r.tokens as f64 / max as f64,
                            max as f64 / budget as f64,
                            r.tokens,
                            r.row_count,
                            r.explained_percent
                        );
                        if let Ok(dir) = std::env::var("OUTDIR") {
                            std::fs::write(format!("{dir}/{}.{form:?}.{budget}", file.replace('/', "_")), &r.text)
                                .unwrap();
                        }
                    }
                }
            }
        }
    }
}
