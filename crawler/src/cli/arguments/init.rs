//! `crawler init`

use std::path::PathBuf;

use clap::Args;

/// `crawler init`
#[derive(Debug, Args)]
#[command(
    after_help = "The command asks each site for its robots.txt and its sitemaps, as politely as a crawl: with the delay between two \
    requests, and never at a forbidden address. It fetches no page. Then it writes seeds.txt and config.toml, tells how many pages the \
    sitemaps name, and how long a polite crawl of them takes. It reads at most 10 sitemaps of a site. If one of several sites does \
    not answer, the command says what it could not learn; if none answers, it writes nothing.\n\
    seeds.txt has one line for each site. config.toml has ten keys, each with a comment; every other key keeps its default, which \
    `crawler config show` lists. The command overwrites no file without --force.\n\
    CRAWLER_SECTION_KEY in the environment sets a key for the requests of this command, and its value in the new config.toml if it is \
    one of the ten. The command does not read an existing config.toml.\n\
    Exit codes: 0 the files are written, 1 the command could not continue, 2 an argument is invalid or a file exists.\n\
    Examples:\n  \
    crawler init https://example.org/                         write seeds.txt and config.toml here\n  \
    crawler init example.org docs.example.org --folder docs   two sites, into the folder docs\n  \
    crawler init example.org --contact https://me.example/bot say who you are"
)]
pub struct InitArgs {
    /// The sites to crawl: URLs, or domains such as example.org, which stands for `https://example.org/`.
    #[arg(value_name = "URL", required = true)]
    pub urls: Vec<String>,
    /// Folder of the new files. The command creates it.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub folder: PathBuf,
    /// Overwrite seeds.txt and config.toml.
    #[arg(long)]
    pub force: bool,
    /// URL of a page that tells site owners who you are: identity.contact_url. It is part of the User-Agent of every request.
    #[arg(long, value_name = "URL")]
    pub contact: Option<String>,
    /// Also connect to loopback, private and other special addresses, now and in the crawl. If all sites have such addresses, the crawl
    /// has no delay between requests, unless the environment sets one.
    #[arg(long)]
    pub allow_private: bool,
}
