//! Commands to Redis, each for one slot.

use std::sync::LazyLock;

use redis::{Cmd, Script};

use crate::slot;

/// A Lua script of this crate. All its keys begin with its one key, which is a hash tag, so that it touches one slot.
pub(crate) struct Lua {
    script: LazyLock<(Script, &'static str)>,
}

impl Lua {
    /// A script from the functions that several share, and its own text.
    pub(crate) const fn new(load: fn() -> (Script, &'static str)) -> Self {
        Self {
            script: LazyLock::new(load),
        }
    }
}

/// Declares a script: `script!("own.lua")`, `script!("shared.lua", "own.lua")`.
macro_rules! script {
    ($($file:literal),+) => {
        $crate::command::Lua::new(|| {
            const TEXT: &str = concat!($(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/lua/", $file))),+);
            (redis::Script::new(TEXT), TEXT)
        })
    };
}
pub(crate) use script;

/// All keys of a partition, of the log, or of the registry begin with such a tag, which decides their slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag {
    /// With its braces.
    text: String,
    /// Of all its keys.
    pub(crate) slot: u16,
}

impl Tag {
    /// `{crawl/17}`: the name of the crawl and a part of it.
    pub(crate) fn new(name: &str, part: &str) -> Self {
        let inner = format!("{name}/{part}");
        Self {
            slot: slot::of_tag(&inner),
            text: format!("{{{inner}}}"),
        }
    }

    /// A key of it.
    pub(crate) fn key(&self, suffix: &str) -> String {
        format!("{}{suffix}", self.text)
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Plain(&'static str),
    Script(&'static Lua),
}

/// A command that goes to the primary of one slot. Repeating it must do no harm: it is sent again when the answer does not come.
#[derive(Clone)]
pub(crate) struct Command {
    kind: Kind,
    pub(crate) slot: u16,
    arguments: Vec<Vec<u8>>,
}

impl Command {
    /// A call of a script with a tag as its key.
    pub(crate) fn script(lua: &'static Lua, tag: &Tag) -> Self {
        Self {
            kind: Kind::Script(lua),
            slot: tag.slot,
            arguments: vec![tag.text.clone().into_bytes()],
        }
    }

    /// A command of Redis on a key of a tag.
    pub(crate) fn plain(name: &'static str, tag: &Tag, suffix: &str) -> Self {
        Self {
            kind: Kind::Plain(name),
            slot: tag.slot,
            arguments: vec![tag.key(suffix).into_bytes()],
        }
    }

    /// With one argument more.
    pub(crate) fn arg(mut self, argument: impl Into<Vec<u8>>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// With a number more.
    pub(crate) fn number(self, number: u64) -> Self {
        self.arg(number.to_string())
    }

    /// With several arguments more.
    pub(crate) fn args(mut self, arguments: impl IntoIterator<Item = Vec<u8>>) -> Self {
        self.arguments.extend(arguments);
        self
    }

    /// For redis-rs. `with_text` sends a script's text rather than its digest, for a server that does not have it.
    pub(crate) fn packed(&self, with_text: bool) -> Cmd {
        let mut cmd = Cmd::new();
        match &self.kind {
            Kind::Plain(name) => cmd.arg(*name),
            Kind::Script(lua) if with_text => cmd.arg("EVAL").arg(lua.script.1).arg(1),
            Kind::Script(lua) => cmd.arg("EVALSHA").arg(lua.script.0.get_hash()).arg(1),
        };
        for argument in &self.arguments {
            cmd.arg(argument);
        }
        cmd
    }

    /// The name of its script on a server.
    pub(crate) fn digest(&self) -> Option<&str> {
        match &self.kind {
            Kind::Script(lua) => Some(lua.script.0.get_hash()),
            Kind::Plain(_) => None,
        }
    }

    /// Whether both call one script.
    pub(crate) fn same_script(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::Script(one), Kind::Script(other)) => std::ptr::eq(*one, *other),
            _ => false,
        }
    }

    /// About the bytes that it takes on the wire.
    pub(crate) fn size(&self) -> usize {
        let head = match &self.kind {
            Kind::Plain(name) => name.len() + 10,
            Kind::Script(_) => 75,
        };
        head + self.arguments.iter().map(|argument| argument.len() + 8).sum::<usize>()
    }
}
