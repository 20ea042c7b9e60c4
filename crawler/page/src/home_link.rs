//! Links to the home page of a site. What such a link shows is mostly the name of the site.

use url::Url;

/// The names of files that are the page of their folder.
const INDEX: [&str; 4] = ["index.html", "index.htm", "index.php", "default.aspx"];

/// Where a link to a home page leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Leads {
    /// To the page of a host, or of the site by its relation; otherwise to the page of the folder.
    pub is_root: bool,
    /// To the site of the page, and not from its home page to itself.
    pub is_own: bool,
}

/// How a page links to the home page of its site.
#[derive(Debug, Clone, Default)]
pub(crate) struct HomeLink {
    /// The host without `www`; empty if the URL of the page is unknown.
    host: String,
    /// Whether the page is the home page.
    is_home: bool,
    /// Whether the page is that of its folder.
    is_index: bool,
}

impl HomeLink {
    /// How the page at this URL links to its home page.
    pub(crate) fn of(url: &Url) -> Self {
        let host = url.host_str().filter(|host| !host.ends_with(".invalid"));
        let file = url.path().rsplit('/').next().unwrap_or_default();
        let is_known = host.is_some();
        Self {
            host: without_www(host.unwrap_or_default()).to_owned(),
            is_home: is_known && is_root(url.path()),
            is_index: is_known && (file.is_empty() || INDEX.contains(&file)),
        }
    }

    /// Where a link leads; `None` if it does not lead to a home page.
    pub(crate) fn leads(&self, href: &str, relations: &str) -> Option<Leads> {
        let href = href.trim();
        let absolute = ["https://", "http://", "//"]
            .iter()
            .find_map(|start| href.strip_prefix(start));
        let (host, path) = match absolute {
            Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
            None => ("", href),
        };
        let has = |wanted: &str| {
            let mut relations = relations.split_ascii_whitespace();
            relations.any(|relation| relation.eq_ignore_ascii_case(wanted))
        };
        // The home page of an author, who may have the site.
        if has("author") {
            return None;
        }
        let is_named = has("home");
        let is_root = is_named || is_root(path) && (absolute.is_some() || !path.is_empty());
        // A page of a folder shows the name of the folder in such a link.
        let is_of_folder =
            absolute.is_none() && !self.is_index && (matches!(path, "." | "./") || INDEX.contains(&path));
        let is_same = host.is_empty() || self.host.is_empty() || without_www(host).eq_ignore_ascii_case(&self.host);
        (is_root || is_of_folder).then_some(Leads {
            is_root,
            is_own: is_same && !self.is_home,
        })
    }
}

fn without_www(host: &str) -> &str {
    host.strip_prefix("www.").unwrap_or(host)
}

fn is_root(path: &str) -> bool {
    matches!(path, "" | "/") || path.strip_prefix('/').is_some_and(|file| INDEX.contains(&file))
}

/// Whether a text, folded to its letters and digits in lower case, is a word for the home page, and no name.
pub(crate) fn is_home_word(folded: &str) -> bool {
    HOME_WORDS.contains(&folded)
}

#[rustfmt::skip]
const HOME_WORDS: &[&str] = &[
    "home", "homepage", "start", "startpage", "frontpage", "mainpage", "index", "main", "back", "backtohome", "backtohomepage", "gohome", "logo",
    "startseite", "hauptseite", "zurstartseite", "zurück", "accueil", "pagedaccueil", "retour", "inicio", "páginaprincipal", "portada", "volver",
    "início", "páginainicial", "inicial", "voltar", "paginainiziale", "paginaprincipale", "startpagina", "voorpagina", "startsida", "startsidan",
    "hem", "hjem", "forside", "forsiden", "hovedside", "etusivu", "alkuun", "stronagłówna", "początek", "domů", "úvod", "úvodnístránka", "domov",
    "úvodnástránka", "kezdőlap", "főoldal", "címlap", "acasă", "paginaprincipală", "začetnastran", "početna", "naslovna", "naslovnica", "начало",
    "главная", "наглавную", "главнаястраница", "головна", "наголовну", "головнасторінка", "почетна", "αρχική", "αρχικήσελίδα", "anasayfa", "ana",
    "beranda", "utama", "lamanutama", "trangchủ", "الرئيسية", "الصفحةالرئيسية", "صفحهاصلی", "خانه", "בית", "דףהבית", "ראשי", "होम", "मुखपृष्ठ",
    "หน้าแรก", "หน้าหลัก", "首页", "首頁", "主页", "主頁", "返回首页", "返回首頁", "网站首页", "網站首頁", "本站首页", "ホーム", "トップ", "トップページ", "홈", "홈으로", "처음으로",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_the_home_page_of_the_site_are_told_from_others() {
        let own = |is_root| Some(Leads { is_root, is_own: true });
        let other = Some(Leads {
            is_root: true,
            is_own: false,
        });
        for (page, href, relations, expected) in [
            ("https://www.example.org/a/b", "/", "", own(true)),
            ("https://www.example.org/a/b", "/index.php", "", own(true)),
            ("https://www.example.org/a/b", "https://example.org", "", own(true)),
            ("https://www.example.org/a/b", "//example.org/", "", own(true)),
            (
                "https://www.example.org/a/b",
                "https://example.org/blog/",
                "home",
                own(true),
            ),
            ("https://www.example.org/a/b", "index.php", "", own(false)),
            ("https://www.example.org/a/b", "./", "", own(false)),
            ("https://www.example.org/a/", "./", "", None),
            ("https://www.example.org/a/index.html", "index.html", "", None),
            ("https://www.example.org/a/b", "", "", None),
            ("https://www.example.org/a/b", "/a", "", None),
            ("https://www.example.org/a/b", "/", "author external", None),
            ("https://www.example.org/a/b", "https://wordpress.org/", "", other),
            // The home page calls itself what it is.
            ("https://www.example.org/", "/", "", other),
            ("http://file.invalid/", "/", "", own(true)),
        ] {
            let link = HomeLink::of(&Url::parse(page).unwrap());
            assert_eq!(link.leads(href, relations), expected, "{page} {href}");
        }
    }
}
