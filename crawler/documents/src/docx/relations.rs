//! The relationships of a part (ECMA-376, part 2, section 9): which files belong to it, and where its links lead.

use std::collections::HashMap;

use crate::Fault;
use crate::package::Package;
use crate::xml::{Token, Tokens, attribute, decoded, local_name};

/// The relationships of a part.
#[derive(Debug, Default)]
pub(super) struct Relations {
    /// The last segment of the type, the target within the package, and the id.
    inside: Vec<(String, String, String)>,
    /// The targets outside of the package by their id.
    outside: HashMap<String, String>,
}

impl Relations {
    /// Those of the part `path`; of the package itself if it is empty. A part may have none.
    pub(super) fn of(package: &mut Package<'_>, path: &str) -> Result<Self, Fault> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let separator = if folder.is_empty() { "" } else { "/" };
        let name = package.name_of("", &format!("{folder}{separator}_rels/{name}.rels"));
        let bytes = name.map_or(Ok(None), |name| package.file(&name))?;
        let Some(bytes) = bytes else {
            return Ok(Self::default());
        };
        let text = decoded(&bytes);
        let mut tokens = Tokens::new(&text);
        let mut relations = Self::default();
        while let Some(token) = tokens.next()? {
            let Token::Open(start) = token else { continue };
            if local_name(&start) != "Relationship" {
                continue;
            }
            let [kind, target] = ["Type", "Target"].map(|name| attribute(&start, name).unwrap_or_default());
            if attribute(&start, "TargetMode").as_deref() == Some("External") {
                relations.outside.extend(attribute(&start, "Id").map(|id| (id, target)));
            } else {
                let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                let id = attribute(&start, "Id").unwrap_or_default();
                relations.inside.push((kind, target, id));
            }
        }
        Ok(relations)
    }

    /// The target within the package of this type: the last segment of its URI.
    pub(super) fn of_type(&self, kind: &str) -> Option<&str> {
        let found = self.inside.iter().find(|(found, ..)| found == kind);
        found.map(|(_, target, _)| target.as_str())
    }

    /// The target within the package with this id.
    pub(super) fn inside(&self, id: &str) -> Option<&str> {
        let found = self.inside.iter().find(|(.., found)| found == id);
        found.map(|(_, target, _)| target.as_str())
    }

    /// The link with this id.
    pub(super) fn link(&self, id: &str) -> Option<&str> {
        self.outside.get(id).map(String::as_str)
    }
}
