use super::super::main_text;
use super::{Budget, Consent, Content, MAX_DIALOGUE_BYTES};
use crate::parse::{Attributes, parse};

const TEXT: &str = "The bakery opens at five. By then the first loaves have cooled, and the baker has already shaped the rolls for the \
    hospital, which orders four hundred of them on weekdays.";
const OTHER: &str = "When the dam was finished, eleven villages had moved to higher ground. The old church was taken apart stone by stone.";
const ASKS: &str = "<h2>We value your privacy</h2><p>We and our 842 partners store and access information on a device, such as cookies, and \
    process personal data for personalised advertising and content, measurement, audience research and services development.</p><p>You can \
    withdraw your consent at any time by returning to this site and clicking the button at the bottom of the page.</p><p>Necessary cookies \
    help make the site usable by basic functions.</p>";

fn text(html: &str) -> String {
    main_text(&parse(html, Attributes::Read), "", None).0
}

/// A short page with `before` and `after` its content.
fn page(before: &str, content: &str, after: &str) -> String {
    format!(
        "<body>{before}<header><nav><a href=/>Home</a> <a href=/news>News</a></nav></header><main><h1>Notice</h1><p>{content}</p></main>\
         {after}<footer><p>Copyright 2024 Example House.</p></footer></body>"
    )
}

#[test]
fn a_short_page_has_the_same_text_with_and_without_a_request_for_consent() {
    let dialogues = [
        format!("<div id=CybotCookiebotDialog role=dialog><div id=CybotCookiebotDialogBody>{ASKS}<button>Accept</button></div></div>"),
        format!("<div class=qc-cmp2-container id=qc-cmp2-container><div class=qc-cmp2-main><div id=qc-cmp2-ui role=dialog>{ASKS}</div></div></div>"),
        format!("<div id=onetrust-consent-sdk><div id=onetrust-banner-sdk role=region aria-label='Cookie banner'>{ASKS}</div></div>"),
        format!("<div id=didomi-host><div class=didomi-popup-view>{ASKS}</div></div>"),
        format!("<div id=sp_message_container_1>{ASKS}</div>"),
        format!("<div id=usercentrics-root>{ASKS}</div>"),
        format!("<div role=dialog aria-modal=true aria-label=Cookies>{ASKS}<button>Accept</button></div>"),
        format!("<div role=alertdialog>{ASKS}</div>"),
        format!("<dialog open>{ASKS}</dialog>"),
        format!("<section class=cookie-consent-layer>{ASKS}</section>"),
        format!("<aside id=gdprBanner>{ASKS}</aside>"),
        format!("<div class=bottom><div>{ASKS}<p><button>Reject all</button> <button>Accept all</button></p></div></div>"),
        format!("<form class=x-1>{ASKS}<input type=submit value=OK></form>"),
        format!("<div class=x>{ASKS}<a role=button>Got it</a></div>"),
        "<div class=hinweis><p>Wir verwenden Cookies, um Inhalte zu personalisieren und die Zugriffe auf unsere Website zu analysieren. Sie \
         können Ihre Einwilligung jederzeit widerrufen. Näheres steht in der Datenschutzerklärung. Wir geben Daten an Partner für Werbung.</p>\
         <button>Alle akzeptieren</button></div>"
            .to_owned(),
        "<div id=cookiebar><p>本网站使用 Cookie 来改善您的体验，并与合作伙伴分享数据用于广告和分析。继续使用即表示您同意我们的隐私政策，您可以随时撤回。</p></div>".to_owned(),
        // A modal dialogue of another kind, and one that is not open.
        "<div role=dialog aria-modal=true><h2>Join the club</h2><p>Leave your address with us and hear of every new shelf that the carpenters \
         of the house have finished, before the neighbours do. It costs nothing, and the first letter comes with a drawing for the kitchen.</p></div>"
            .to_owned(),
        "<dialog><h2>Sizes</h2><p>Small is for hands of up to eight inches, medium for up to nine, and large for all others. Measure the hand at \
         its widest place, without the thumb, and add half an inch if the glove is worn over another one in the cold months.</p></dialog>"
            .to_owned(),
    ];
    let alone = text(&page("", TEXT, ""));
    assert_eq!(alone, format!("Notice\n{TEXT}"));
    for dialogue in dialogues {
        assert_eq!(text(&page(&dialogue, TEXT, "")), alone, "{dialogue}");
        assert_eq!(text(&page("", TEXT, &dialogue)), alone, "{dialogue}");
        let other = text(&page("", OTHER, &dialogue));
        assert_eq!(other, format!("Notice\n{OTHER}"), "{dialogue}");
    }
}

#[test]
fn what_speaks_of_cookies_and_asks_nothing_is_content() {
    let words = "A cookie is a small file that a site stores in a browser. Some sites need the consent of their readers, who accept or decline.";
    for content in [
        format!("<div class=cookie-policy><h1>Cookies</h1><p>{words}</p><p>{TEXT}</p></div>"),
        format!("<main class=cookie-page><p>{words}</p><p>{TEXT}</p></main>"),
        format!("<div class=content><h1>Chocolate cookies</h1><p>{words} {TEXT}</p><button>Share</button></div>"),
        format!("<article class=consent><h1>Consent</h1><p>{words} {TEXT}</p><button>OK</button></article>"),
        format!("<div id=onetrust-wrapper><main><h1>News</h1><p>{words}</p><p>{TEXT}</p></main></div>"),
        format!("<div class=cookieconsent-optin-marketing><h2>News</h2><p>{words}</p><p>{TEXT}</p></div>"),
        // Names of posts, states and shops.
        format!(
            "<div class='post type-post tag-gdpr entry'><h2>GDPR fines</h2><p>{words} Privacy, partners, personal data.</p><p>{TEXT}</p></div>"
        ),
        format!(
            "<div class='post category-cookies'><h2>Oat cookies</h2><p>{words} Allow to cool.</p><p>{TEXT}</p></div>"
        ),
        format!("<div id=root class=no-cookie-consent><p>{words}</p><p>{TEXT}</p></div>"),
        format!("<div class=cookie-consent-given><p>{words}</p><p>{TEXT}</p></div>"),
        format!(
            "<div id=content class=gdpr><h2>Privacy</h2><p>{words} Consent, partners, personal data, accept.</p><p>{TEXT}</p></div>"
        ),
        format!("<section class=informed-consent><p>{words} Consent.</p><p>{TEXT}</p></section>"),
        format!("<section aria-label='Cookie ideas'><p>{words}</p><p>{TEXT}</p></section>"),
        // Names of tools around the page.
        format!("<div class=usercentrics-wrapper><h1>News</h1><p>{words}</p><p>{TEXT}</p></div>"),
        format!(
            "<div id=klaro-app><div role=main><p>{words}</p><p>{TEXT}</p></div><footer>Cookie policy</footer></div>"
        ),
        format!(
            "<div id=onetrust-page><p>{words}</p>{}<main><p>{TEXT}</p></main></div>",
            "<i>x</i>".repeat(2_500)
        ),
    ] {
        let text = text(&format!("<body><nav><a href=/>Home</a></nav>{content}</body>"));
        assert!(
            text.contains("The bakery opens at five.") && text.contains("A cookie is a small file"),
            "{content}: {text}"
        );
    }
}

#[test]
fn words_within_words_and_links_to_pages_ask_for_nothing() {
    for content in [
        "<div><p>Bake these cookies with marshmallow on top in twelve minutes, and let them cool.</p><a href=/r>Continue</a></div>",
        "<div><p>Bake these cookies with marshmallow on top in twelve minutes, and let them cool.</p><button>OK</button></div>",
        "<div><p>Deux témoins refusent de parler au juge, et la salle attend en silence la suite.</p><button>Close</button></div>",
        "<div><p>От скуки он не принял предложение и весь вечер читал старую книгу у окна.</p><button>OK</button></div>",
        "<div><p>We accept cookies of all kinds at the market of the village, from nine in the morning.</p><a href=/market>Accept</a></div>",
    ] {
        let text = text(&format!(
            "<body><main><h1>Notice</h1><p>{TEXT}</p></main>{content}<main><p>{OTHER}</p></main></body>"
        ));
        let first = content.split("<p>").nth(1).unwrap().split_whitespace().next().unwrap();
        assert!(text.contains(first), "{content}: {text}");
    }
}

#[test]
fn nested_dialogues_around_a_long_text_cost_a_bounded_look() {
    let words = "consent cookies partners ".repeat(40_000);
    for (open, close) in [
        ("<dialog>", "</dialog>"),
        ("<div class=cookie>", "</div>"),
        ("<fieldset>", "</fieldset>"),
    ] {
        let html = format!(
            "<body>{}{words}{}<p>{TEXT}</p></body>",
            open.repeat(400),
            close.repeat(400)
        );
        assert!(text(&html).contains("consent cookies partners"), "{open}");
        let tree = parse(&html, Attributes::Read).html;
        let mut budget = Budget::of_page(tree.len());
        for node in tree.nodes() {
            let content = Content::of(node, &mut budget);
            assert!(content.text.len() <= MAX_DIALOGUE_BYTES + 1, "{open}");
        }
    }
}

#[test]
fn without_a_budget_nothing_is_left_out() {
    let html = page(
        "",
        TEXT,
        &format!("<div class=cookie-banner>{ASKS}<button>Accept</button></div>"),
    );
    let tree = parse(&html, Attributes::Read).html;
    let apart = |mut budget: Budget| {
        let mut consent = Consent::default();
        let mut elements = tree.nodes().filter_map(|node| Some((node, node.value().as_element()?)));
        elements.any(|(node, element)| consent.apart(node, element, &mut budget).is_some())
    };
    let spent = || {
        let mut budget = Budget::of_page(0);
        while budget.take() {}
        budget
    };
    assert!(apart(Budget::of_page(tree.len())) && !apart(spent()));
}

#[test]
fn a_page_that_is_a_dialogue_has_its_text_and_a_wall_of_consent_has_none() {
    let wall = format!("<body><div role=dialog aria-modal=true>{ASKS}<button>Accept</button></div></body>");
    assert_eq!(text(&wall), "");
    let lightbox =
        format!("<body><div role=dialog aria-modal=true><h2>Notice</h2><p>{TEXT}</p><p>{OTHER}</p></div></body>");
    assert!(
        text(&lightbox).contains("The bakery opens at five."),
        "{}",
        text(&lightbox)
    );
    // A message beside it changes nothing.
    let viewer = lightbox.replace("<body>", "<body><p>Loading the viewer.</p>");
    assert!(text(&viewer).contains("The bakery opens at five."), "{}", text(&viewer));
    let around =
        format!("<body><div role=dialog aria-modal=true><main><h1>Notice</h1><p>{TEXT}</p></main></div></body>");
    assert!(text(&around).contains("The bakery opens at five."), "{}", text(&around));
}

#[test]
fn a_long_page_keeps_its_text_and_loses_the_request() {
    let content = format!("{TEXT}</p><p>{OTHER}</p><p>").repeat(8);
    let text = text(&page("", &content, &format!("<div class=cookie-banner>{ASKS}</div>")));
    assert!(text.contains("eleven villages") && !text.contains("cookies"), "{text}");
}

#[test]
fn thousands_of_buttons_and_names_cost_a_bounded_look() {
    let buttons = "<div class=consent><button>OK</button>".repeat(300);
    let many = "<div class=cookie-x><button>OK</button><p>cookies accept</p></div>".repeat(20_000);
    assert!(text(&page("", TEXT, &buttons)).contains("The bakery opens"));
    assert!(text(&page("", TEXT, &many)).contains("The bakery opens"));
}
