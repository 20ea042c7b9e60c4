//! The crawler from outside: the binary against sites on loopback whose request log is the witness.
//!
//! - [`crawl`]: how far a crawl goes, and that it goes there once; [`depth`]: by the shortest path; [`demo`]: every page of the demo's site
//! - [`scope`]: patterns of URLs; [`seeds`]: seeds files of any size and kind; [`robots`]: what robots.txt forbids; [`politeness`]: how often a host is asked, by the
//!   server's clock; [`host_sections`]: what holds for some hosts alone
//! - [`steering`]: traps, and the requests that the verdicts save; [`traps`]: endless traps, and folders that the crawl leaves;
//!   [`listings`]: the crawl loses no document behind similar pages
//! - [`near_duplicates`]: what is dropped as saying nothing new, and what is not
//! - [`harm`]: servers that mean harm; [`fuzz_seeds`]: bytes of any kind
//! - [`canonical`]: which page of a cluster is kept
//! - [`dedup_command`]: duplicates among files, whatever form they are in and however damaged
//! - [`harm`]: servers that mean harm
//! - [`shared_index`]: documents compared with those of earlier and of other runs
//! - [`links`]: what is followed, and what pages ask; [`html_redirects`]: pages that only lead to another URL; [`http`], [`tls`]: how
//!   it is fetched
//! - [`login`]: pages behind a log-in, and secrets that stay where they belong
//! - [`report`]: what is shown of what decided
//! - [`refresh`]: pages that are looked at again
//! - [`running`]: a crawl that runs, read by the other commands
//! - [`control`]: a crawl that is paused, stopped and steered by orders
//! - [`resume`]: killed, interrupted, limited, and gone on; [`checkpoint`]: what a killed crawl had learned; [`warc`]: the archive holds what is kept, and only that; [`duplicates`]: what it holds
//!   of duplicates
//! - [`archived_requests`]: what was asked, without a secret
//! - [`survive`]: damaged, full, limited, lost, and made whole; [`moved`]: all of that in mid-run; [`kept_state`]: what a
//!   rebuild leaves as it is
//! - [`kept_settings`]: the settings by which other commands judge a crawl; [`config`]: what cannot be used ends with exit code 2; [`cli`]: help, forms and exit codes of the commands
//! - [`fleet`]: several workers on one crawl; [`fleet_verdicts`]: workers that decide among their own pages, and the verdicts that a merge takes;
//!   [`worker_folder`]: what one sees in the folder of one of them
//! - [`explain`]: why a page was kept or dropped; [`check`]: whether a text is already in the store
//! - [`remedies`]: what keeps a page that was dropped, and a crawl that goes on by itself
//! - [`merge`]: one crawl of several
//! - [`endings`]: exit codes and summaries; [`stop`]: a run that is told to end, and does; [`stalls`]: one host cannot stop the others
//! - [`serve`]: the report in which one can work; [`status`]: a crawl at work, seen over HTTP; [`logs`]: what happens, in a file
//! - [`shell`]: completions and manual pages
//! - [`export`]: the pages for other tools
//! - [`layout`]: which folder of the code uses which
//! - [`init`]: the first seeds file and configuration
//! - [`inspect`]: what the crawler makes of one page, robots.txt, URL or sitemap
//! - [`encodings`]: the same page in every encoding, declared in every way; [`one_reading`]: the same bytes for all commands; [`one_template`]: pages that
//!   share a long box; [`changing_boxes`]: articles beside boxes that change
//! - [`visible_text`]: what a reader sees is the text; [`walls`]: pages that stand in the way of others
//! - [`suggestions`]: the commands that a message suggests
//! - [`tune`]: other thresholds, without a request
//! - [`evaluate`]: precision and recall where the truth is plain; [`fingerprint`]: what a fingerprint comes from
//! - [`support`]: what they stand on

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod archived_requests;
mod canonical;
mod changing_boxes;
mod check;
mod checkpoint;
mod cli;
mod config;
mod control;
mod crawl;
mod dedup_command;
mod demo;
mod depth;
mod documents;
mod documents_fuzz;
mod duplicates;
mod encodings;
mod endings;
mod evaluate;
mod explain;
mod export;
mod fingerprint;
mod fleet;
mod fleet_verdicts;
mod fuzz_seeds;
mod harm;
mod host_sections;
mod html_redirects;
mod http;
mod init;
mod inspect;
mod kept_settings;
mod kept_state;
mod label;
mod layout;
mod links;
mod listings;
mod login;
mod logs;
mod merge;
mod moved;
mod near_duplicates;
mod one_reading;
mod one_template;
mod politeness;
mod redecide;
mod refresh;
mod remedies;
mod report;
mod resume;
mod robots;
mod running;
mod scope;
mod seeds;
mod serve;
mod shared_index;
mod shell;
mod stalls;
mod status;
mod steering;
mod stop;
mod suggestions;
mod support;
mod survive;
mod tls;
mod traps;
mod tune;
mod visible_text;
mod walls;
mod warc;
mod worker_folder;
