//! The configuration that the data folder of a crawl keeps, so that a command that reads the crawl judges by it.
//!
//! `DATA/settings/` has a file for each run whose configuration differs from that of the run before: `1.toml`, `2.toml`, … . It is a
//! `config.toml` with every key, without what a reading command does not need and others should not see: header fields, log-ins, the proxy, the
//! servers of a fleet. A comment names the configuration file of the run, relative to the data folder, so that both can be moved together.
//!
//! A data folder may come from somebody else. So nothing is written through a link in it, and a command never writes to the file that it names,
//! unless that file is in the current folder.

use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use storage::durable::{self, Readers};
use url::Url;

use crate::Config;

/// The folder in the data folder.
const FOLDER: &str = "settings";

/// Begins the line that names the configuration file.
const FILE_LINE: &str = "# configuration file: ";

/// Begins the line with the flags.
const FLAGS_LINE: &str = "# flags of the run: ";

/// A record that is being written.
const UNFINISHED: &str = "new.toml.part";

/// The configuration of a run, to be kept in its data folder.
#[derive(Debug, Clone)]
pub struct Record {
    /// Every key with its value, as TOML.
    values: String,
    /// The configuration file of the run, whether or not it exists.
    file: PathBuf,
    /// The flags of the run that override keys; `None` for those of the last record.
    flags: Option<Vec<String>>,
}

/// The configuration that a data folder keeps of its last run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The file in the data folder with the values.
    pub path: PathBuf,
    /// The configuration file of the run, which may not exist. `None` if the record names none.
    pub file: Option<PathBuf>,
    /// The flags of the run that override keys, such as `--delay` and `2s`. The folder may come from somebody else, so they are letters, digits
    /// and hyphens alone, and only shown.
    pub flags: Vec<String>,
}

impl Record {
    /// The record of `config`, whose configuration file is `file`.
    ///
    /// # Errors
    /// The path of the current folder is unknown, or a value has no form in TOML.
    pub fn new(config: &Config, file: &Path) -> io::Result<Self> {
        let mut config = config.clone();
        config.fetch.proxy.clear();
        config.fetch.headers.clear();
        config.fetch.credentials.clear();
        config.fetch.login.clear();
        config.fleet.address.clear();
        config.host.iter_mut().for_each(|entry| entry.headers.clear());
        config.storage.archive_url = without_login(&config.storage.archive_url);
        if !config.dedup.idf_table.as_os_str().is_empty() {
            config.dedup.idf_table = std::path::absolute(&config.dedup.idf_table)?;
        }
        Ok(Self {
            values: toml::to_string(&config).map_err(io::Error::other)?,
            file: std::path::absolute(file)?,
            flags: None,
        })
    }

    /// With the flags of the run that override keys.
    #[must_use]
    pub fn with_flags(self, flags: Vec<String>) -> Self {
        let flags = Some(flags);
        Self { flags, ..self }
    }

    /// Writes the record to the data folder `dir`, unless the last record there says the same. `now` is when the run began.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, dir: &Path, now: SystemTime) -> io::Result<()> {
        let folder = dir.join(FOLDER);
        let said = self.said(dir)?;
        let last = last(&folder);
        let is_kept = |path: &PathBuf| fs::read_to_string(path).is_ok_and(|text| text.ends_with(&said));
        if last.as_ref().is_some_and(|(_, path)| is_kept(path)) {
            return Ok(());
        }
        fs::create_dir_all(&folder)?;
        if fs::symlink_metadata(&folder)?.is_symlink() {
            return Err(io::Error::other(format!("{FOLDER} is a link")));
        }
        let began = humantime::format_rfc3339_seconds(now);
        let unfinished = folder.join(UNFINISHED);
        let number = last.map_or(1, |(number, _)| number.saturating_add(1));
        let path = folder.join(format!("{number}.toml"));
        durable::replace(&path, &unfinished, Readers::Usual, |file| {
            write!(
                file,
                "# The settings of the run that began at {began}, without proxy, header fields and log-ins.\n{said}"
            )
        })
    }

    /// The text after the line with the time.
    fn said(&self, dir: &Path) -> io::Result<String> {
        let dir = fs::canonicalize(dir)?;
        let file = from_folder(&dir, &self.file);
        let file = file.to_str().filter(|file| !file.contains(['\n', '\r']));
        let line = file.map_or_else(String::new, |file| format!("{FILE_LINE}{file}\n"));
        let flags = match &self.flags {
            Some(flags) => flags.clone(),
            None => Kept::last(&dir).map(|kept| kept.flags).unwrap_or_default(),
        };
        let flags = match flags.join(" ") {
            none if none.is_empty() => String::new(),
            flags => format!("{FLAGS_LINE}{flags}\n"),
        };
        Ok(format!("{line}{flags}\n{}", self.values))
    }
}

impl Kept {
    /// The last record in the data folder `dir`.
    #[must_use]
    pub fn last(dir: &Path) -> Option<Self> {
        let (_, path) = last(&dir.join(FOLDER))?;
        let text = fs::read_to_string(&path).ok()?;
        let named = text.lines().find_map(|line| line.strip_prefix(FILE_LINE));
        let flags = text.lines().find_map(|line| line.strip_prefix(FLAGS_LINE));
        let flags: Vec<String> = flags.unwrap_or_default().split(' ').map(str::to_owned).collect();
        let is_plain = |flag: &String| !flag.is_empty() && flag.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        Some(Self {
            flags: if flags.iter().all(is_plain) { flags } else { Vec::new() },
            file: named.map(|named| dir.join(named)),
            path,
        })
    }
}

/// The last record in `folder`, with its number. Other files there are none of ours.
fn last(folder: &Path) -> Option<(u64, PathBuf)> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let numbered = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let number: u64 = name.strip_suffix(".toml")?.parse().ok()?;
        (format!("{number}.toml") == name).then(|| (number, entry.path()))
    });
    numbered.max()
}

/// The URL of an object store without user, password and query.
fn without_login(url: &str) -> String {
    let Ok(mut parsed) = Url::parse(url) else {
        return url.to_owned();
    };
    let has_user = !parsed.username().is_empty() || parsed.password().is_some();
    if has_user && (parsed.set_username("").is_err() || parsed.set_password(None).is_err()) {
        return String::new();
    }
    if has_user || parsed.query().is_some() {
        parsed.set_query(None);
        return parsed.into();
    }
    url.to_owned()
}

/// The path of the absolute `file`, relative to the absolute `folder`; `file` itself if the two share nothing.
fn from_folder(folder: &Path, file: &Path) -> PathBuf {
    // The folder of the file may be reached by a link.
    let parent = file.parent().and_then(|parent| fs::canonicalize(parent).ok());
    let file = match (parent, file.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => file.to_owned(),
    };
    let shared = folder
        .components()
        .zip(file.components())
        .take_while(|(one, other)| one == other)
        .count();
    let has_common_folder = folder
        .components()
        .take(shared)
        .any(|part| matches!(part, Component::Normal(_)));
    if !has_common_folder {
        return file;
    }
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(file.components().skip(shared)).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    fn names(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir.join(FOLDER)).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_record_is_a_configuration_file_without_secrets() {
        let dir = tempfile::tempdir().unwrap();
        let data = dir.path().join("data");
        fs::create_dir(&data).unwrap();
        let text = "[storage]\narchive_url = \"https://me:s3cret@store.example/x?sig=s3cret\"\n[fleet]\naddress = \"redis://me:s3cret@a:6379\"\n\
                    [dedup]\nmin_similarity = 0.9\n[fetch]\nproxy = \"http://me:s3cret@proxy.example:8080\"\nheaders = { Cookie = \"s3cret\" }\n\
                    [[fetch.credentials]]\nhost = \"a\"\nuser = \"b\"\npassword = \"s3cret\"\n\
                    [[host]]\nhost = \"a\"\ndelay_ms = 700\nheaders = { Cookie = \"s3cret\" }\n";
        let config = Config::parse(text, "c.toml".as_ref()).unwrap();
        let record = Record::new(&config, &dir.path().join("config.toml")).unwrap();
        record.write(&data, at(0)).unwrap();

        let kept = Kept::last(&data).unwrap();
        assert_eq!(kept.path, data.join("settings/1.toml"));
        assert_eq!(kept.file, Some(data.join("../config.toml")));
        let text = fs::read_to_string(&kept.path).unwrap();
        assert!(!text.contains("s3cret") && !text.contains("Cookie"), "{text}");
        let read = Config::parse(&text, &kept.path).unwrap();
        assert_eq!(read.dedup, config.dedup);
        assert_eq!(read.host[0].delay_ms, Some(700));
        crate::settings::Settings::new(&read).unwrap();
    }

    #[test]
    fn only_a_changed_configuration_is_written_again() {
        let dir = tempfile::tempdir().unwrap();
        let write = |config: &Config, seconds| {
            let record = Record::new(config, &dir.path().join("config.toml")).unwrap();
            record.write(dir.path(), at(seconds)).unwrap();
        };
        let mut config = Config::default();
        write(&config, 0);
        write(&config, 60);
        assert_eq!(names(dir.path()), ["1.toml"]);
        config.dedup.max_distance = 3;
        write(&config, 120);
        assert_eq!(names(dir.path()), ["1.toml", "2.toml"]);
        assert_eq!(Kept::last(dir.path()).unwrap().path, dir.path().join("settings/2.toml"));
    }

    #[test]
    fn records_follow_each_other_by_number_and_other_files_are_no_records() {
        let dir = tempfile::tempdir().unwrap();
        let record = |distance| {
            let mut config = Config::default();
            config.dedup.max_distance = distance;
            Record::new(&config, &dir.path().join("config.toml")).unwrap()
        };
        for distance in 1..=10 {
            // A clock that goes backwards changes nothing.
            record(distance)
                .write(dir.path(), at(1_000 - u64::from(distance)))
                .unwrap();
        }
        for other in ["my.toml", "007.toml", "+11.toml", "9.toml.bak"] {
            fs::write(dir.path().join(FOLDER).join(other), "x").unwrap();
        }
        assert_eq!(
            Kept::last(dir.path()).unwrap().path,
            dir.path().join("settings/10.toml")
        );
    }

    #[test]
    fn the_flags_of_a_run_stay_until_another_run_and_are_plain_words() {
        let dir = tempfile::tempdir().unwrap();
        let record = || Record::new(&Config::default(), &dir.path().join("config.toml")).unwrap();
        let flags = || Kept::last(dir.path()).unwrap().flags;
        let given = ["--delay", "100ms", "--allow-private"].map(str::to_owned).to_vec();
        record().with_flags(given.clone()).write(dir.path(), at(0)).unwrap();
        assert_eq!(flags(), given);
        // New verdicts are no run.
        record().write(dir.path(), at(1)).unwrap();
        assert_eq!((flags(), names(dir.path())), (given, vec!["1.toml".to_owned()]));
        record().with_flags(Vec::new()).write(dir.path(), at(2)).unwrap();
        assert_eq!(flags(), Vec::<String>::new());
        fs::write(
            dir.path().join(FOLDER).join("3.toml"),
            format!("{FLAGS_LINE}--delay $(rm)\n"),
        )
        .unwrap();
        assert_eq!(flags(), Vec::<String>::new());
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_a_link() {
        let (dir, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let record = Record::new(&Config::default(), &dir.path().join("config.toml")).unwrap();
        std::os::unix::fs::symlink(outside.path(), dir.path().join(FOLDER)).unwrap();
        record.write(dir.path(), at(0)).unwrap_err();
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);

        fs::remove_file(dir.path().join(FOLDER)).unwrap();
        fs::create_dir(dir.path().join(FOLDER)).unwrap();
        let mine = outside.path().join("mine");
        fs::write(&mine, "mine").unwrap();
        std::os::unix::fs::symlink(&mine, dir.path().join(FOLDER).join(UNFINISHED)).unwrap();
        record.write(dir.path(), at(0)).unwrap();
        assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
    }

    #[test]
    fn a_folder_without_a_record_keeps_nothing() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Kept::last(dir.path()), None);
        fs::create_dir(dir.path().join(FOLDER)).unwrap();
        fs::write(dir.path().join(FOLDER).join(UNFINISHED), "x").unwrap();
        assert_eq!(Kept::last(dir.path()), None);
    }

    #[test]
    fn a_path_is_relative_to_the_folder_if_they_share_a_folder() {
        let relative = |folder: &str, file: &str| from_folder(Path::new(folder), Path::new(file));
        assert_eq!(relative("/w/a/data", "/w/a/config.toml"), Path::new("../config.toml"));
        assert_eq!(
            relative("/w/a/data", "/w/b/other.toml"),
            Path::new("../../b/other.toml")
        );
        assert_eq!(relative("/w/a", "/w/a/config.toml"), Path::new("config.toml"));
        assert_eq!(relative("/w/a", "/v/config.toml"), Path::new("/v/config.toml"));
    }
}
