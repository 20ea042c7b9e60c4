//! Bot challenges and refusals, by the products that show them.

use super::{Clue, Rule, SHORT, THIN};
use crate::wall::kind::WallKind::{Challenge, Denied, RateLimit, Region};

/// Most words of the pages that explain why they are there.
const NOTICE: usize = 150;

/// The titles of the challenges of Cloudflare, in the languages in which it shows them.
const JUST_A_MOMENT: &[&str] = &[
    "Just a moment...",
    "Nur einen Moment…",
    "Einen Moment, bitte…",
    "Un instant…",
    "Un momento…",
    "Um momento…",
    "Un attimo...",
    "Een ogenblik geduld…",
    "Bir dakika lütfen...",
    "Один момент…",
    "Еще момент…",
    "Ещё момент…",
    "Подождите...",
    "Cierpliwości...",
    "请稍候…",
    "請稍候...",
    "しばらくお待ちください...",
    "잠시만 기다리십시오…",
    "لحظة…",
    "Please Wait... | Cloudflare",
    "Attention Required! | Cloudflare",
    "Checking your browser",
];

/// Marks of the error pages of Cloudflare.
const CLOUDFLARE_ERROR: Clue = Clue::Mark(&["cf-error-details", "cf-wrapper", "cf_styles", "/cdn-cgi/styles/"]);

const CLOUDFLARE: &[Rule] = &[
    Rule::new(
        Region,
        "Cloudflare",
        SHORT,
        &[
            CLOUDFLARE_ERROR,
            Clue::Says(&["has banned the country or region your IP address is in"]),
        ],
    ),
    Rule::new(
        RateLimit,
        "Cloudflare",
        SHORT,
        &[
            CLOUDFLARE_ERROR,
            Clue::Says(&["You are being rate limited", "banned you temporarily"]),
        ],
    ),
    Rule::new(
        Denied,
        "Cloudflare",
        SHORT,
        &[
            CLOUDFLARE_ERROR,
            Clue::Says(&[
                "you have been blocked",
                "Access denied",
                "to restrict access",
                "has banned your IP address",
                "has banned the autonomous system number",
            ]),
        ],
    ),
    Rule::new(
        Challenge,
        "Cloudflare",
        THIN,
        &[Clue::Mark(&[
            "_cf_chl_opt",
            "__cf_chl_",
            "cf-browser-verification",
            "cf-challenge-running",
            "/cdn-cgi/l/chk_jschl",
            "/cdn-cgi/l/chk_captcha",
            "/orchestrate/chl_",
            "/orchestrate/jsch/",
        ])],
    ),
    Rule::new(
        Challenge,
        "Cloudflare",
        NOTICE,
        &[
            Clue::Title(JUST_A_MOMENT),
            Clue::Mark(&[
                "cf-chl",
                "cf_chl",
                "cf-wrapper",
                "cf-browser-verification",
                "challenge-error-text",
            ]),
        ],
    ),
    Rule::new(
        Challenge,
        "Cloudflare",
        NOTICE,
        &[
            Clue::Title(JUST_A_MOMENT),
            Clue::Says(&[
                "Checking your browser before accessing",
                "Enable JavaScript and cookies to continue",
                "needs to review the security of your connection",
                "Verifying you are human",
                "Verify you are human by completing the action below",
                "DDoS protection by Cloudflare",
                "Performance & security by Cloudflare",
                "checking if the site connection is secure",
                "正在验证您是否是真人",
                "需要先检查您的连接的安全性",
                "überprüft, ob Sie ein Mensch sind",
                "Проверяем, человек ли вы",
            ]),
        ],
    ),
];

const AKAMAI_DATADOME_IMPERVA: &[Rule] = &[
    Rule::new(
        Challenge,
        "Akamai",
        THIN,
        &[Clue::Mark(&[
            "bm-verify=",
            "\"bm-verify\"",
            "/_sec/verify?provider=",
            "sec-if-cpt-container",
            "/_sec/cp_challenge/",
        ])],
    ),
    Rule::new(
        Denied,
        "Akamai",
        THIN,
        &[
            Clue::Title(&["Access Denied"]),
            Clue::Says(&["You don't have permission to access"]),
            Clue::Says(&["Reference #", "errors edgesuite net"]),
        ],
    ),
    Rule::new(
        Challenge,
        "DataDome",
        THIN,
        &[
            Clue::Mark(&[
                "geo.captcha-delivery.com",
                "ct.captcha-delivery.com",
                "c.captcha-delivery.com",
                "interstitial.captcha-delivery.com",
            ]),
            Clue::Mark(&[
                "var dd=",
                "var dd =",
                "captcha-delivery.com/c.js",
                "captcha-delivery.com/i.js",
            ]),
        ],
    ),
    Rule::new(
        Challenge,
        "Imperva",
        THIN,
        &[Clue::Mark(&[
            "_incapsula_resource?swudnsai",
            "_incapsula_resource?cwudnsai",
        ])],
    ),
    Rule::new(Challenge, "Imperva", THIN, &[Clue::Says(&["Incapsula incident ID"])]).with_beside(12),
    // The oldest challenge is a script and an empty body.
    Rule::new(
        Challenge,
        "Imperva",
        0,
        &[
            Clue::Mark(&["_incapsula_resource?swjiylwa"]),
            Clue::Mark(&["content=\"noindex, nofollow\"", "content=\"noindex,nofollow\""]),
        ],
    ),
    Rule::new(
        Challenge,
        "Imperva",
        SHORT,
        &[
            Clue::Title(&["Pardon Our Interruption"]),
            Clue::Says(&["made us think you were a bot", "made us think you might be a bot"]),
        ],
    ),
];

const OTHERS: &[Rule] = &[
    Rule::new(
        Challenge,
        "HUMAN",
        THIN,
        &[Clue::Mark(&[
            "px-captcha",
            "captcha.px-cdn.net",
            "captcha.px-cloud.net",
        ])],
    ),
    Rule::new(
        Challenge,
        "HUMAN",
        NOTICE,
        &[
            Clue::Mark(&["px-captcha", "_pxappid", "px-cdn.net", "px-cloud.net", "perimeterx"]),
            Clue::Says(&[
                "Access to this page has been denied",
                "Press & Hold to confirm you are",
                "you are using automation tools to browse",
                "confirm you are a human (and not a bot)",
            ]),
        ],
    ),
    Rule::new(
        Challenge,
        "AWS WAF",
        THIN,
        &[
            Clue::Mark(&["window.gokuprops", "awswafcookiedomainlist"]),
            Clue::Mark(&[
                "challenge-container",
                "captcha-container",
                "awswafintegration.savereferrer",
            ]),
        ],
    ),
    Rule::new(
        Challenge,
        "Anubis",
        SHORT,
        &[
            Clue::Mark(&["id=\"anubis_version\"", "/.within.website/x/cmd/anubis"]),
            Clue::Mark(&["id=\"anubis_challenge\"", "id=\"preact_info\"", "id=\"progress\""]),
        ],
    ),
    Rule::new(
        Challenge,
        "Kasada",
        THIN,
        &[Clue::Mark(&["kpsdk.now", "/ips.js?kp_uidz", "/ips.js?tkrm_alpekz"])],
    ),
    Rule::new(Challenge, "Fastly", THIN, &[Clue::Mark(&["/_fs-ch-"])]),
    Rule::new(Challenge, "Sucuri", THIN, &[Clue::Mark(&["sucuri_cloudproxy_js"])]),
    Rule::new(
        Denied,
        "Sucuri",
        SHORT,
        &[
            Clue::Title(&[
                "Sucuri WebSite Firewall - Access Denied",
                "Access Denied - Sucuri Website Firewall",
            ]),
            Clue::Says(&["Block ID", "Block reason", "Your IP"]),
        ],
    ),
    Rule::new(
        Challenge,
        "DDoS-Guard",
        NOTICE,
        &[
            Clue::Title(&["DDoS-Guard"]),
            Clue::Mark(&["/.well-known/ddos-guard", "check.ddos-guard.net"]),
        ],
    ),
    Rule::new(
        Challenge,
        "F5",
        THIN,
        &[Clue::Mark(&["window[\"bobcmn\"]", "window.bobcmn"])],
    ),
    Rule::new(
        Challenge,
        "Alibaba Cloud",
        THIN,
        &[Clue::Mark(&[
            "acw_sc__v2",
            "acw_sc__v3",
            "aliyun_waf_aa",
            "aliyun_waf_bb",
            "/_____tmd_____/punish",
        ])],
    ),
    Rule::new(
        Challenge,
        "SafeLine",
        NOTICE,
        &[
            Clue::Mark(&["/.safeline/"]),
            Clue::Mark(&["safeline_challenge", "challenge", "waiting"]),
        ],
    ),
    // Several products show the sentences of Cloudflare.
    Rule::new(
        Challenge,
        "",
        NOTICE,
        &[Clue::Says(&[
            "Checking your browser before accessing",
            "checking if the site connection is secure",
            "needs to review the security of your connection before proceeding",
            "Enable JavaScript and cookies to continue",
            "Please wait while we verify your browser",
            "Please wait while your request is being verified",
            "We're verifying your browser",
            "正在检查您的浏览器",
            "正在進行安全檢查",
        ])],
    )
    .with_beside(20),
];

/// The rules of products.
pub(super) fn rules() -> impl Iterator<Item = &'static Rule> {
    [CLOUDFLARE, AKAMAI_DATADOME_IMPERVA, OTHERS].into_iter().flatten()
}
