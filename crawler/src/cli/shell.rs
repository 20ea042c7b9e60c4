//! `crawler completions`, `crawler man`

use std::io::Write;
use std::path::Path;

use clap::CommandFactory;

use crate::cli::arguments::{Cli, CompletionsArgs, ManArgs};
use error::RunError;

pub(super) fn completions(args: &CompletionsArgs) -> Result<(), RunError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "crawler", &mut script);
    print(&script)
}

pub(super) fn man(args: &ManArgs) -> Result<(), RunError> {
    let mut command = Cli::command();
    // Adds the global flags to the subcommands.
    command.build();
    let pages = pages(&command).map_err(|source| RunError::io("make", "the manual pages", source))?;
    match &args.output {
        Some(folder) => write(folder, &pages),
        None => print(&pages.into_iter().flat_map(|(_, page)| page).collect::<Vec<u8>>()),
    }
}

/// The pages of a command and its subcommands, with their file names.
fn pages(command: &clap::Command) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let page = clap_mangen::Man::new(command.clone());
    let mut roff = Vec::new();
    page.render(&mut roff)?;
    let mut pages = vec![(page.get_filename(), roff)];
    let shown = command
        .get_subcommands()
        .filter(|sub| !sub.is_hide_set() && sub.get_name() != "help");
    for sub in shown {
        pages.extend(self::pages(sub)?);
    }
    Ok(pages)
}

fn write(folder: &Path, pages: &[(String, Vec<u8>)]) -> Result<(), RunError> {
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |source| RunError::io("write", path, source)
    };
    std::fs::create_dir_all(folder).map_err(failed(folder))?;
    for (name, page) in pages {
        let path = folder.join(name);
        std::fs::write(&path, page).map_err(failed(&path))?;
    }
    Ok(())
}

fn print(bytes: &[u8]) -> Result<(), RunError> {
    let mut stdout = std::io::stdout().lock();
    super::output::or_reader_gone(stdout.write_all(bytes).and_then(|()| stdout.flush()))
}
