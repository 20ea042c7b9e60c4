//! Pages that have the words or the marks of walls, and are none.

use super::Sent;

pub(super) const PAGES: &[Sent] = &[
    Sent::new(
        "a page behind Cloudflare, with its invisible script",
        r#"<html><head><title>Harbour opening hours</title></head><body><h1>Opening hours</h1><p>The harbour office is open from eight to four.</p><script>(function(){window.__CF$cv$params={r:'8ff',t:'MTc'};var a=document.createElement('script');a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js';document.head.appendChild(a)})();</script></body></html>"#,
    )
    .with_headers(&[("server", "cloudflare"), ("cf-ray", "8ff1a4e1de2c30c4-FRA")]),
    Sent::new(
        "a page behind DataDome",
        r#"<html><head><title>Price list</title><script>window.ddjskey='A1';</script><script src="https://js.datadome.co/tags.js"></script></head><body><h1>Price list</h1><p>A ticket costs three euros.</p></body></html>"#,
    )
    .with_headers(&[("x-datadome", "protected")]),
    Sent::new(
        "a page behind Imperva",
        r#"<html><head><title>Timetable</title></head><body><h1>Timetable</h1><p>The first ferry leaves at six.</p><script type="text/javascript" src="/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e6fffd425f7e032f3&ns=1&cb=1"></script></body></html>"#,
    )
    .with_headers(&[("x-cdn", "Imperva")]),
    Sent::new(
        "a page behind HUMAN",
        r#"<html><head><title>Shoes</title><script>window._pxAppId='PX1a2b';</script><script async src="https://client.px-cloud.net/PX1a2b/main.min.js"></script></head><body><h1>Shoes</h1><p>Red shoes, size 42, 30 euros.</p></body></html>"#,
    ),
    Sent::new(
        "a page with the script of AWS WAF",
        r#"<html><head><title>Weather</title><script src="https://de5282c3ca0c.edge.sdk.awswaf.com/de5282c3ca0c/526cf06acb0d/challenge.js" defer></script></head><body><h1>Weather</h1><p>It rains in the north.</p></body></html>"#,
    ),
    Sent::new(
        "a form to write to somebody, with a captcha",
        r#"<html><head><title>Contact</title><script src="https://www.google.com/recaptcha/api.js"></script></head><body><h1>Contact</h1><form method="post"><label>Name <input name="name"></label><label>Mail <input type="email" name="email"></label><label>Message <textarea name="message"></textarea></label><p>Please confirm that you are not a robot.</p><div class="g-recaptcha"></div><button>Send</button></form></body></html>"#,
    ),
    Sent::new(
        "a band with the name of a title",
        r#"<html><head><title>Access Denied</title></head><body><h1>Access Denied</h1><p>Access Denied is the third album of a band from Leeds. It was recorded in one week in 1998 and sold four thousand copies.</p></body></html>"#,
    ),
    Sent::new(
        "a question on a refusal",
        r#"<html><head><title>Access Denied</title></head><body><h1>Access Denied</h1><p>Since the update last night my server answers that I do not have permission. I have changed the owner of the folder, and I have started the service again. Which setting of the web server decides who may read a folder, and where does the log say who has asked for it? I use version 2.4 on Debian.</p></body></html>"#,
    ),
    Sent::new(
        "a definition of a status",
        r#"<html><head><title>403 Forbidden - HTTP</title></head><body><h1>403 Forbidden</h1><p>The HTTP 403 Forbidden client error response status code indicates that the server understood the request but refused to process it. This status is similar to 401, except that for 403 Forbidden responses, authenticating or re-authenticating makes no difference.</p></body></html>"#,
    ),
    Sent::new(
        "a definition of another status",
        r#"<html><head><title>429 Too Many Requests - HTTP</title></head><body><h1>429 Too Many Requests</h1><p>The HTTP 429 Too Many Requests client error response status code indicates the client has sent too many requests in a given amount of time. This mechanism of asking the client to slow down the rate of requests is commonly called rate limiting. A Retry-After header may be included to this response to indicate how long a client should wait before making the request again.</p></body></html>"#,
    ),
    Sent::new(
        "an address of mail that a script shows",
        r#"<html><head><title>Contact</title></head><body><h1>Contact</h1><p>Harbour office, Quay 1.</p><p>This email address is being protected from spambots. You need JavaScript enabled to view it.</p></body></html>"#,
    ),
    Sent::new(
        "comments that need a script",
        r#"<html><head><title>Short news</title></head><body><article><h1>Short news</h1><p>The lighthouse is closed.</p></article><div id="disqus_thread"></div><noscript>Please enable JavaScript to view the comments powered by Disqus.</noscript></body></html>"#,
    ),
    Sent::new(
        "a short page with a warning on top",
        r#"<html><head><title>Tide table</title></head><body><noscript><div>Please enable JavaScript for the best experience.</div></noscript><main><h1>Tide table</h1><p>High water is at 03:12 and at 15:40, low water at 09:20 and at 21:55. The table of the month hangs at the office of the harbour master, and the sailing club sells copies of it.</p></main></body></html>"#,
    ),
    Sent::new(
        "an article with a box to log in",
        r#"<html><head><title>Storm over the bay</title></head><body><article><h1>Storm over the bay</h1><p>The storm of the weekend broke two masts and sank a dinghy. Nobody was hurt. The club will meet on Monday.</p><p>You must be logged in to post a comment.</p></article><form action="/login"><input name="user"><input type="password" name="pw"></form></body></html>"#,
    ),
    Sent::new(
        "a page to log in that was asked for",
        r#"<html><head><title>Log in</title></head><body><h1>Log in</h1><p>Please log in to continue. You need to log in once a month.</p><form action="/login" method="post"><input name="user"><input type="password" name="pw"></form></body></html>"#,
    )
    .at("https://example.org/login?next=%2F"),
    Sent::new(
        "a page with a dialogue for consent",
        r#"<html><head><title>Storm over the bay</title></head><body><div id="consent" role="dialog" aria-modal="true"><h2>We value your privacy</h2><p>We and our partners store and/or access information on a device, such as cookies.</p><button>Accept all</button><button>Reject all</button></div><article><h1>Storm over the bay</h1><p>The storm of the weekend broke two masts and sank a dinghy in the old harbour. Nobody was hurt, and the club will meet on Monday to speak about the mooring lines.</p></article></body></html>"#,
    ),
    Sent::new(
        "a policy on cookies",
        r#"<html><head><title>Cookie policy</title></head><body><h1>Cookie policy</h1><p>This policy says which cookies we set. You can accept all cookies or reject all cookies in the settings of consent. A cookie is a small file that a site stores on your device.</p></body></html>"#,
    ),
    Sent::new(
        "a product that is not sold everywhere",
        r#"<html><head><title>Oilskin jacket</title></head><body><h1>Oilskin jacket</h1><p>A jacket of waxed cotton with a hood, two pockets and a lining of wool. It is made in a small workshop by hand, and it lasts for thirty years. Sizes from S to XXL, in yellow and in blue. 180 euros.</p><p>This product is not available in your country.</p></body></html>"#,
    ),
    Sent::new(
        "news on the sale of a domain",
        r#"<html><head><title>Voice.com sold</title></head><body><article><h1>Voice.com sold</h1><p>A company paid thirty million dollars for the name last week. It is the highest price that was ever published. The seller had bought the name in the nineties, and had used it for a product that few people remember. Brokers say that short names still rise in price. Whoever reads “this domain is for sale” on a page should ask twice.</p></article></body></html>"#,
    ),
    Sent::new(
        "a manual of nginx",
        r#"<html><head><title>Beginner's Guide</title></head><body><h1>Beginner's Guide</h1><p>If you open the address in a browser you see “Welcome to nginx!”. If you see this page, the nginx web server is successfully installed and working. Now write a server block.</p></body></html>"#,
    ),
    Sent::new(
        "a short text that says that it works",
        r#"<html><head><title>It works!</title></head><body><h1>It works!</h1><p>After three weeks the radio of the old lighthouse works again.</p></body></html>"#,
    ),
    Sent::new(
        "a blog that links to a broker",
        r#"<html><head><title>My new name</title></head><body><p>I have bought a name. It took a week.</p><a href="https://sedo.com/search/details/?domain=x">Here</a> <a href="https://www.bodis.com/">and here</a></body></html>"#,
    ),
    Sent::new(
        "a poem with the title of a challenge, behind Cloudflare",
        r#"<html><head><title>Un momento</title></head><body><h1>Un momento</h1><p>Un momento sin viento, una barca en el puerto.</p><a href="/cdn-cgi/l/email-protection#1f">mail</a><script src="/cdn-cgi/challenge-platform/h/b/scripts/jsd/main.js"></script></body></html>"#,
    ),
    Sent::new(
        "an empty page that a script fills, behind DataDome",
        r#"<html><head><title>Shop</title><link rel="preconnect" href="https://geo.captcha-delivery.com"></head><body><div id="app"></div><script src="/app.js"></script></body></html>"#,
    ),
    Sent::new(
        "a choice of regions, Chinese",
        r#"<html><head><meta charset="utf-8"><title>门店查询</title></head><body><p>请选择您所在的地区，查看附近的门店。</p></body></html>"#,
    ),
    Sent::new(
        "a short post with attachments for members",
        r#"<html><head><title>Photos of the regatta</title></head><body><h1>Photos of the regatta</h1><p>Here are the photos of Sunday. The blue boat won.</p><p>You must be logged in to view attachments.</p><a href="/login">Log in</a></body></html>"#,
    ),
    Sent::new(
        "a form of consent",
        r#"<html><head><title>Consent to take part in a study</title></head><body class="gdpr"><h1>Consent to take part in a study</h1><p>I have read what the study is about. I agree to take part. I may stop at any time. The site of the study sets cookies.</p></body></html>"#,
    ),
    Sent::new(
        "a question on a firewall, Chinese",
        r#"<html><head><meta charset="utf-8"><title>网站打不开</title></head><body><p>昨天把网站搬到了新的服务器，首页可以打开，后台保存文章的时候就提示您的访问被阻断。关闭了所有的插件，换了浏览器和网络都没有用，请问应该在哪里修改设置，或者联系哪个部门才能恢复正常？谢谢大家的帮助。</p></body></html>"#,
    ),
    Sent::new("an empty page", "<html><head><title></title></head><body></body></html>"),
    Sent::new("a short page", "<html><head><title>Hello</title></head><body><p>Hello, world.</p></body></html>"),
    Sent::new(
        "news on a shop for sale",
        r#"<html><head><title>Village shop and domain for sale - Lizard Gazette</title></head><body><nav><a href="/">Lizard Gazette</a><a href="/news">News</a></nav><main><h1>Village shop and domain for sale</h1><p>The owners of the village shop in Coverack have put the shop, the flat above it, and its domain for sale after thirty years behind the counter.</p></main></body></html>"#,
    ),
    Sent::new(
        "a house in a village of this name",
        r#"<html><head><title>Domain for sale - Prairie Post</title></head><body><nav><a href="/">Prairie Post</a><a href="/faq">FAQ</a></nav><main><h1>Domain for sale</h1><p>The village of Domain in Manitoba has a house for sale with two acres and a barn.</p></main></body></html>"#,
    ),
    Sent::new(
        "a manual on a status",
        r#"<html><head><title>Error 429: Too many requests - Pine Docs</title></head><body><nav><a href="/">Pine Docs</a><a href="/faq">FAQ</a></nav><main><h1>Error 429: Too many requests</h1><p>Your client sent more than 60 requests in a minute. Wait for the time in Retry-After, then try again.</p></main></body></html>"#,
    ),
    Sent::new(
        "a film with a licence",
        r#"<html><head><title>Not available in your country - Film Attic</title></head><body><nav><a href="/">Film Attic</a><a href="/faq">FAQ</a></nav><main><h1>Not available in your country</h1><p>Because of a licence the film is not available in your country if you live in Austria or Switzerland. You can rent it from the library in Konstanz.</p></main></body></html>"#,
    ),
    Sent::new(
        "a question on parked domains",
        r#"<html><head><title>This domain is parked - Registrar Help</title></head><body><nav><a href="/">Registrar Help</a><a href="/faq">FAQ</a></nav><main><h1>This domain is parked</h1><p>What does it mean? The owner has registered the name but has no site yet.</p></main></body></html>"#,
    ),
];
