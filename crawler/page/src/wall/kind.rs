//! The kinds of walls.

/// What stands in the way of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WallKind {
    /// A protection against bots tests the client, or waits.
    Challenge,
    /// A task for people only.
    Captcha,
    /// The page asks for JavaScript, and says nothing without it.
    Javascript,
    /// The server refuses the page.
    Denied,
    /// The server has had too many requests.
    RateLimit,
    /// The page waits for consent to cookies, and has no other content.
    Consent,
    /// The page is for users who are logged in.
    Login,
    /// The page is not for the country of the client.
    Region,
    /// The domain is for sale, or has expired.
    Parked,
    /// The page that a server or a panel of a host shows before there is a site.
    DefaultPage,
    /// One text in the place of many pages. No rule knows it: whoever sees it under many URLs recognises it.
    Repeated,
}

impl WallKind {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::Challenge,
        Self::Captcha,
        Self::Javascript,
        Self::Denied,
        Self::RateLimit,
        Self::Consent,
        Self::Login,
        Self::Region,
        Self::Parked,
        Self::DefaultPage,
        Self::Repeated,
    ];

    /// Its name: `challenge`, `captcha`, `javascript`, `denied`, `rate_limit`, `consent`, `login`, `region`, `parked`, `default_page` or `repeated`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Challenge => "challenge",
            Self::Captcha => "captcha",
            Self::Javascript => "javascript",
            Self::Denied => "denied",
            Self::RateLimit => "rate_limit",
            Self::Consent => "consent",
            Self::Login => "login",
            Self::Region => "region",
            Self::Parked => "parked",
            Self::DefaultPage => "default_page",
            Self::Repeated => "repeated",
        }
    }

    /// Its name for people.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Challenge => "bot challenge",
            Self::Captcha => "captcha",
            Self::Javascript => "asks for JavaScript",
            Self::Denied => "access denied",
            Self::RateLimit => "too many requests",
            Self::Consent => "waits for consent",
            Self::Login => "asks for a log-in",
            Self::Region => "not for this country",
            Self::Parked => "parked domain",
            Self::DefaultPage => "default page of a server",
            Self::Repeated => "one text in the place of many pages",
        }
    }

    /// What the user can do about it, as one sentence.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::Challenge | Self::Captcha => {
                "Ask the operator of the site to admit this crawler by its user agent or address, and raise the delay of the host."
            }
            Self::Javascript => "Let a browser render the pages of the host: render.mode = \"auto\".",
            Self::Denied => "Ask the operator of the site for access, or leave these URLs out of the crawl.",
            Self::RateLimit => "Raise the delay of the host, and start the failed URLs again later.",
            Self::Consent => {
                "Give the pages of the host the cookie that a browser has after the choice, or leave the host out."
            }
            Self::Login => {
                "Describe the log-in of the host in the configuration if you have an account, or leave these URLs out."
            }
            Self::Region => "Crawl the host from a country for which it has the page, or leave it out.",
            Self::Parked => "Leave the host out: the site is gone.",
            Self::DefaultPage => {
                "Look at the URL in a browser: the site is not set up, has moved, or has another name or port."
            }
            Self::Repeated => {
                "Look at one of the URLs in a browser: ask the operator to admit this crawler if it is refused, let a browser render the \
                 pages if they need scripts, or set fetch.walls = false if the text is the page."
            }
        }
    }

    /// Whether a browser may get the page, because it runs the scripts that the wall asks for.
    #[must_use]
    pub fn may_yield_to_scripts(self) -> bool {
        matches!(self, Self::Challenge | Self::Javascript)
    }

    /// Whether the page itself may come if the crawler asks again within the time of a crawl, as after status 429. A refusal is final, as
    /// status 403 is.
    #[must_use]
    pub fn is_passing(self) -> bool {
        match self {
            Self::Challenge | Self::Captcha | Self::RateLimit | Self::Repeated => true,
            Self::Denied
            | Self::Javascript
            | Self::Consent
            | Self::Login
            | Self::Region
            | Self::Parked
            | Self::DefaultPage => false,
        }
    }

    /// Whether the links of the page are those of the site. Links of the others are advertisements, or lead to the maker of a product.
    #[must_use]
    pub fn has_links_of_site(self) -> bool {
        matches!(self, Self::Javascript | Self::Consent | Self::Login | Self::Region)
    }
}
