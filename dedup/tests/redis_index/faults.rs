//! Servers that fail, refuse, or hold something else. Each error says what to do.

use dedup::{Deduplicator, DocId, DuplicateRule, Index, RedisAddress, RedisIndex, Scheme, SharedCollection, Verdict};

use super::documents::unique;
use super::server::Server;

fn open(address: &RedisAddress) -> Result<Deduplicator<RedisIndex>, String> {
    let rule = DuplicateRule::default();
    let index = RedisIndex::open(address, "test", &rule).map_err(|error| error.to_string())?;
    Ok(Deduplicator::new(index, rule).unwrap())
}

#[track_caller]
fn refused(address: &RedisAddress, words: &str) {
    let error = open(address).unwrap_err();
    assert!(error.contains(words) && error.contains(&address.to_string()), "{error}");
    assert!(!error.contains("secret"), "{error}");
}

#[test]
fn a_server_that_is_killed_gives_an_error_and_the_index_goes_on_after_it() {
    let mut server = Server::start_with(&["--appendonly", "yes", "--appendfsync", "always"]);
    let address = server.address("killed");
    let dedup = open(&address).unwrap();
    for number in 0..50 {
        assert_eq!(
            dedup.check_and_insert(DocId(number), &unique(number)).unwrap(),
            Verdict::Unique
        );
    }
    server.kill();
    let error = dedup.check_and_insert(DocId(50), &unique(50)).unwrap_err().to_string();
    assert!(error.contains("run the same command again"), "{error}");
    refused(&address, "no server listens there");
    server.restart();
    // The same index, and one opened anew.
    for dedup in [dedup, open(&address).unwrap()] {
        assert_eq!(dedup.check(&unique(49)).unwrap(), Verdict::Exact { of: DocId(49) });
        assert_eq!(dedup.index().len().unwrap(), 50);
    }
}

#[test]
fn a_password_is_needed_and_never_shown() {
    let server = Server::start_with(&["--requirepass", "the-secret"]);
    let with = |login: &str| -> RedisAddress {
        format!("redis://{login}127.0.0.1:{}?name=a", server.port)
            .parse()
            .unwrap()
    };
    refused(&with(""), "wants a password");
    refused(&with(":not-the-secret@"), "refuses the user or the password");
    assert!(open(&with(":the-secret@")).is_ok());
    assert!(open(&with("").with_password("the-secret")).is_ok());
}

#[test]
fn a_value_of_another_type_under_a_key_is_refused_with_words() {
    let server = Server::start();
    let mut connection = server.connection();
    redis::cmd("SET")
        .arg("dedup:{a}:meta")
        .arg("x")
        .exec(&mut connection)
        .unwrap();
    refused(&server.address("a"), "another type");
    redis::cmd("LPUSH")
        .arg("dedup:{b}:block-2")
        .arg("x")
        .exec(&mut connection)
        .unwrap();
    let dedup = open(&server.address("b")).unwrap();
    let error = dedup.check(&unique(1)).unwrap_err().to_string();
    assert!(error.contains("another type"), "{error}");
    redis::cmd("SET")
        .arg("dedup:{c}:recent")
        .arg("x")
        .exec(&mut connection)
        .unwrap();
    let dedup = open(&server.address("c")).unwrap();
    let error = dedup.check_and_insert(DocId(1), &unique(1)).unwrap_err().to_string();
    assert!(error.contains("another type"), "{error}");
    // A bucket that is not one.
    let dedup = open(&server.address("d")).unwrap();
    dedup.check_and_insert(DocId(1), &unique(1)).unwrap();
    let field = [0_u8, 0];
    redis::cmd("HSET")
        .arg("dedup:{d}:block-1")
        .arg(&field[..])
        .arg("short")
        .exec(&mut connection)
        .unwrap();
    let mut query = unique(1);
    query.fingerprint = Some(0_u64.into());
    query.digest = None;
    let error = dedup.check(&query).unwrap_err().to_string();
    assert!(error.contains("unknown form"), "{error}");
}

#[test]
fn another_scheme_layout_or_format_is_refused() {
    let server = Server::start();
    let (address, rule) = (server.address("made"), DuplicateRule::default());
    drop(open(&address).unwrap());
    let error = RedisIndex::open(&address, "other", &rule).unwrap_err();
    assert!(error.to_string().contains("\"test\""), "{error}");
    let narrower = DuplicateRule {
        min_similarity_short: 0.5,
        ..rule.clone()
    };
    assert!(
        RedisIndex::open(&address, "test", &narrower)
            .unwrap_err()
            .is_other_layout()
    );
    let nearer = DuplicateRule {
        max_distance: 3,
        ..rule
    };
    assert!(
        RedisIndex::open(&address, "test", &nearer).is_ok(),
        "the distance changes no entry"
    );
    let format = ["dedup:{made}:meta", "format", "9"];
    redis::cmd("HSET").arg(&format).exec(&mut server.connection()).unwrap();
    refused(&address, "format \"9\"");
}

#[test]
fn a_collection_of_another_rule_is_refused_and_so_is_an_index_in_its_place() {
    let server = Server::start();
    let (address, scheme, rule) = (server.address("rules"), Scheme::default(), DuplicateRule::default());
    let missing = SharedCollection::open(&address, &scheme, &rule)
        .unwrap_err()
        .to_string();
    assert!(missing.contains("no index of this name"), "{missing}");
    drop(SharedCollection::open_or_create(&address, &scheme, &rule).unwrap());
    assert!(SharedCollection::open(&address, &scheme, &rule).is_ok());
    let nearer = DuplicateRule {
        max_distance: 3,
        ..rule.clone()
    };
    let error = SharedCollection::open_or_create(&address, &scheme, &nearer)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("at most 10 bits") && error.contains("at most 3 bits"),
        "{error}"
    );
    assert!(RedisIndex::open(&address, &scheme.id(), &rule).is_err());
}

#[test]
fn an_index_that_is_erased_while_it_is_in_use_is_noticed() {
    let server = Server::start();
    let address = server.address("erased");
    let dedup = open(&address).unwrap();
    dedup.check_and_insert(DocId(1), &unique(1)).unwrap();
    redis::cmd("FLUSHALL").exec(&mut server.connection()).unwrap();
    for error in [
        dedup.check(&unique(1)).unwrap_err(),
        dedup.insert(DocId(2), &unique(2)).unwrap_err(),
    ] {
        assert!(error.to_string().contains("erased"), "{error}");
    }
}

#[test]
fn a_server_that_may_evict_the_index_is_refused() {
    let server = Server::start_with(&["--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru"]);
    refused(&server.address("a"), "maxmemory-policy");
    let server = Server::start_with(&["--maxmemory", "2mb", "--maxmemory-policy", "noeviction"]);
    let dedup = open(&server.address("a")).unwrap();
    let error = (0..20_000).find_map(|number| dedup.check_and_insert(DocId(number), &unique(number)).err());
    let error = error.unwrap().to_string();
    assert!(error.contains("memory of the server is full"), "{error}");
}

#[test]
fn scripts_that_the_server_forgot_are_sent_again() {
    let server = Server::start();
    let dedup = open(&server.address("a")).unwrap();
    for number in 0..3 {
        redis::cmd("SCRIPT")
            .arg("FLUSH")
            .exec(&mut server.connection())
            .unwrap();
        dedup.check_and_insert(DocId(number), &unique(number)).unwrap();
    }
    assert_eq!(dedup.index().len().unwrap(), 3);
}

#[test]
fn a_user_needs_hashes_lists_and_scripts_only() {
    let server = Server::start();
    let user = |rules: &[&str]| {
        let mut command = redis::cmd("ACL");
        command
            .arg("SETUSER")
            .arg("worker")
            .arg("on")
            .arg(">the-secret")
            .arg("~dedup:*")
            .arg(rules);
        command.exec(&mut server.connection()).unwrap();
    };
    let address: RedisAddress = format!("redis://worker:the-secret@127.0.0.1:{}?name=a", server.port)
        .parse()
        .unwrap();
    user(&["-@all", "+@connection"]);
    refused(&address, "forbids its user");
    user(&[
        "-@all",
        "+@connection",
        "+@hash",
        "+@list",
        "+@scripting",
        "+@transaction",
        "+exists",
        "+time",
    ]);
    let dedup = open(&address).unwrap();
    assert_eq!(dedup.check_and_insert(DocId(1), &unique(1)).unwrap(), Verdict::Unique);
    assert_eq!(dedup.check(&unique(1)).unwrap(), Verdict::Exact { of: DocId(1) });
    assert!(dedup.remove(DocId(1)).unwrap());
}
