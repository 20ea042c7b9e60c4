//! The types of schema.org, by what they tell of a page.

/// What a node of a type tells of the page. A later kind is more about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A person or an organization.
    Agent,
    WebSite,
    /// The page as such: it may be about anything.
    WebPage,
    /// A work or a thing: a video, a product, an event.
    Thing,
    /// An article, a post, a recipe.
    Article,
}

impl Kind {
    /// Whether such a node says what the page is about.
    pub(super) fn is_about_page(self) -> bool {
        self >= Self::WebPage
    }
}

#[rustfmt::skip]
const KINDS: &[(Kind, &[&str])] = &[
    (Kind::Article, &["Article", "NewsArticle", "BlogPosting", "BackgroundNewsArticle", "ReportageNewsArticle", "AnalysisNewsArticle",
        "AskPublicNewsArticle", "OpinionNewsArticle", "ReviewNewsArticle", "AdvertiserContentArticle", "SatiricalArticle", "Report",
        "ScholarlyArticle", "MedicalScholarlyArticle", "TechArticle", "APIReference", "SocialMediaPosting", "LiveBlogPosting",
        "DiscussionForumPosting", "Recipe", "HowTo", "Chapter", "CriticReview", "PressRelease"]),
    (Kind::Thing, &["CreativeWork", "Book", "Product", "ProductGroup", "IndividualProduct", "Event", "Movie", "TVEpisode", "TVSeries", "Course",
        "Dataset", "SoftwareApplication", "SoftwareSourceCode", "MobileApplication", "VideoGame", "JobPosting", "PodcastEpisode", "Thesis",
        "MusicAlbum", "MusicRecording", "Question", "VideoObject", "Game", "Quiz", "Play"]),
    (Kind::WebPage, &["WebPage", "ItemPage", "AboutPage", "CollectionPage", "ContactPage", "FAQPage", "QAPage", "MedicalWebPage", "ProfilePage",
        "CheckoutPage", "SearchResultsPage"]),
    (Kind::WebSite, &["WebSite"]),
    (Kind::Agent, &["Person", "Organization", "NewsMediaOrganization", "Corporation", "LocalBusiness", "EducationalOrganization",
        "GovernmentOrganization", "NGO", "UserAccount", "Account"]),
];

/// The kind of a type, with or without the address or the prefix of its vocabulary; `None` if it is unknown.
pub(super) fn kind(name: &str) -> Option<Kind> {
    let name = name.trim().rsplit(['/', ':', '#']).next().unwrap_or_default();
    let found = KINDS.iter().find(|(_, names)| names.contains(&name));
    found.map(|(kind, _)| *kind)
}
