//! `bench site`.

use crate::common::measuring;

#[test]
fn a_store_becomes_pages_with_links_to_each_other() {
    let Some(folder) = measuring() else { return };
    for seed in [1, 2] {
        let line = format!(
            "sort --digis 2k --segments 4 --variant std-* --threads 1 --samples 8 --quiet \
             --device cpu --out r{seed} --no-charts --seed {seed} --store s"
        );
        folder.bench(line).exits(0);
    }
    folder.bench("site --store s --out site").exits(0).says("pages of 2 points and 2 runs");
    let index = folder.read("site/index.html");
    let links: Vec<&str> =
        index.split("href=\"").skip(1).filter_map(|it| it.split('"').next()).collect();
    let files: Vec<&&str> = links.iter().filter(|link| !link.starts_with('#')).collect();
    assert_eq!(files.len(), 2 + 2, "{files:?}");
    for file in files {
        assert!(folder.read(format!("site/{file}")).starts_with("<!DOCTYPE html>"), "{file}");
    }
    folder.bench("site --store s --out site --variant std-stable").exits(0);
    folder.write("site/index.html", "mine");
    folder.bench("site --store s --out site").exits(2).says("--force");
    folder.bench("site --store s --out site --variant none-*").exits(5);
}
