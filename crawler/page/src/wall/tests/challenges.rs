//! Bot challenges.

use super::Sent;

pub(super) const PAGES: &[Sent] = &[
    Sent::new("Cloudflare, header", "<html><head><title>x</title></head><body>x</body></html>")
        .with_headers(&[("server", "cloudflare"), ("cf-mitigated", "challenge")]),
    Sent::new(
        "Cloudflare, managed challenge",
        r#"<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"><meta http-equiv="X-UA-Compatible" content="IE=Edge"><meta name="robots" content="noindex,nofollow"><meta name="viewport" content="width=device-width,initial-scale=1"><style>*{box-sizing:border-box;margin:0;padding:0}html{line-height:1.15}</style><meta http-equiv="refresh" content="360"></head><body><div class="main-wrapper" role="main"><div class="main-content"><noscript><div class="h2"><span id="challenge-error-text">Enable JavaScript and cookies to continue</span></div></noscript></div></div><script>(function(){window._cf_chl_opt = {cvId: '3',cZone: 'example.org',cType: 'managed',cRay: '8ff1a4e1de2c30c4',cUPMDTk:"\/a?__cf_chl_tk=Xy"};var a = document.createElement('script');a.src = '/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=8ff1a4e1de2c30c4';document.getElementsByTagName('head')[0].appendChild(a);}());</script></body></html>"#,
    ),
    Sent::new(
        "Cloudflare, I am under attack, 2019",
        r#"<!DOCTYPE HTML><html lang="en-US"><head><meta charset="UTF-8" /><title>Just a moment...</title></head><body><table width="100%" height="100%"><tr><td align="center" valign="middle"><div class="cf-browser-verification cf-im-under-attack"><noscript><h1 data-translate="turn_on_js" style="color:#bd2426;">Please turn JavaScript on and reload the page.</h1></noscript><div id="cf-content"><h1><span data-translate="checking_browser">Checking your browser before accessing</span> example.org.</h1><p data-translate="process_is_automatic">This process is automatic. Your browser will redirect to your requested content shortly.</p><p data-translate="allow_5_secs">Please allow up to 5 seconds&hellip;</p></div><form id="challenge-form" action="/cdn-cgi/l/chk_jschl?__cf_chl_jschl_tk__=ab" method="POST"><input type="hidden" name="jschl_vc" value="a"/></form></div><div class="attribution">DDoS protection by <a href="https://www.cloudflare.com/5xx-error-landing/">Cloudflare</a><br />Ray ID: <code>5a1</code></div></td></tr></table></body></html>"#,
    ),
    Sent::new(
        "Cloudflare, Chinese, after the scripts ran",
        r#"<!DOCTYPE html><html lang="zh-CN"><head><title>请稍候…</title></head><body><div class="main-wrapper"><div class="main-content"><h1 class="zone-name-title h1">www.example.cn</h1><p class="h2 spacer-bottom">正在验证您是否是真人。这可能需要几秒钟时间。</p><div class="core-msg spacer">www.example.cn 需要先检查您的连接的安全性，然后才能继续。</div></div></div><div class="footer"><div>Ray ID: <code>8ff</code></div><div>Performance &amp; security by <a href="https://www.cloudflare.com">Cloudflare</a></div></div></body></html>"#,
    ),
    Sent::new(
        "DataDome",
        r#"<html lang="en"><head><title>example.org</title><style>#cmsg{animation: A 1.5s;}@keyframes A{0%{opacity:0;}99%{opacity:0;}100%{opacity:1;}}</style></head><body style="margin:0"><p id="cmsg">Please enable JS and disable any ad blocker</p><script data-cfasync="false">var dd={'rt':'c','cid':'AHrlqAAAAAMA','hsh':'2211F522B61E269B869FA6EAFFB5E1','t':'fe','qp':'','s':43337,'e':'6d','host':'geo.captcha-delivery.com','cookie':'x'}</script><script data-cfasync="false" src="https://ct.captcha-delivery.com/c.js"></script></body></html>"#,
    )
    .with_headers(&[("x-datadome", "protected"), ("x-dd-b", "1")]),
    Sent::new(
        "DataDome, interstitial",
        r#"<html><head><title>example.fr</title></head><body><script>var dd={'rt':'i','cid':'AHr','hsh':'05B','b':1,'s':1,'host':'geo.captcha-delivery.com'}</script><script src="https://ct.captcha-delivery.com/i.js"></script></body></html>"#,
    ),
    Sent::new(
        "Imperva, frame",
        r#"<html style="height:100%"><head><META NAME="ROBOTS" CONTENT="NOINDEX, NOFOLLOW"><meta name="format-detection" content="telephone=no"><meta name="viewport" content="initial-scale=1.0"><meta http-equiv="X-UA-Compatible" content="IE=edge,chrome=1"></head><body style="margin:0px;height:100%"><iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=10-14276143-0%20NNNN%20RT%281%29%20q%280%20-1%20-1%201%29&incident_id=474000640049318391-72374&edet=12&cinfo=04000000&rpinfo=0&mth=GET" frameborder=0 width="100%" height="100%" marginheight="0px" marginwidth="0px">Request unsuccessful. Incapsula incident ID: 474000640049318391-72374</iframe></body></html>"#,
    )
    .with_headers(&[("x-iinfo", "10-14276143-0 0NNN RT(1) q(0 -1 -1 1) r(0 -1) B12"), ("x-cdn", "Imperva")]),
    Sent::new(
        "Imperva, script only",
        r#"<html><head><META NAME="robots" CONTENT="noindex,nofollow"><script src="/_Incapsula_Resource?SWJIYLWA=5074a744e2e3d891814e9a2dace20bd4,719d34d31c8e3a6e6fffd425f7e032f3"></script><body></body></html>"#,
    ),
    Sent::new(
        "Imperva, formerly Distil",
        r#"<!DOCTYPE html><html><head><noscript><title>Pardon Our Interruption</title></noscript><title>Pardon Our Interruption</title></head><body><div class="container"><h1>Pardon Our Interruption</h1><p>As you were browsing something about your browser made us think you were a bot. There are a few reasons this might happen:</p><ul><li>You've disabled JavaScript in your web browser.</li><li>You're a power user moving through this website with super-human speed.</li><li>You've disabled cookies in your web browser.</li><li>A third-party browser plugin, such as Ghostery or NoScript, is preventing JavaScript from running.</li></ul><p>To regain access, please make sure that cookies and JavaScript are enabled before reloading the page.</p></div></body></html>"#,
    ),
    Sent::new(
        "HUMAN, press and hold",
        r#"<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="description" content="px-captcha"><title>Access to this page has been denied</title></head><body><script>window._pxVid = '';window._pxUuid = '9b';window._pxAppId = 'PXu6b0qd2S';window._pxHostUrl = '/u6b0qd2S/xhr';</script><script src="https://captcha.px-cdn.net/PXu6b0qd2S/captcha.js?a=c&m=0"></script><div class="px-captcha-container"><div class="px-captcha-header">Before we continue...</div><div class="px-captcha-message">Press &amp; Hold to confirm you are a human (and not a bot).</div><div id="px-captcha"></div><div class="px-captcha-refid">Reference ID 9b</div></div></body></html>"#,
    ),
    Sent::new(
        "HUMAN, with reasons",
        r#"<!DOCTYPE html><html><head><title>Access to this page has been denied.</title><script>window._pxAppId='PX1a2b3c4d';</script></head><body><section class="container"><div class="customer-logo-wrapper"></div><div class="page-title-wrapper"><div class="page-title"><h1>Please verify you are a human</h1></div></div><div class="content-wrapper"><div class="content"><div id="px-captcha"></div><p>Access to this page has been denied because we believe you are using automation tools to browse the website.</p><p>This may happen as a result of the following:</p><ul><li>Javascript is disabled or blocked by an extension (ad blockers for example)</li><li>Your browser does not support cookies</li></ul><p>Please make sure that Javascript and cookies are enabled on your browser and that you are not blocking them from loading.</p><p>Reference ID: #8a2b</p></div></div><div class="page-footer-wrapper"><p>Powered by <a href="https://www.perimeterx.com/whywasiblocked">PerimeterX</a>, Inc.</p></div></section></body></html>"#,
    ),
    Sent::new("AWS WAF, header", "<!DOCTYPE html><html><head><title></title></head><body></body></html>")
        .with_headers(&[("x-amzn-waf-action", "challenge")]),
    Sent::new(
        "AWS WAF, page",
        r#"<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title></title><style>body{font-family:"Arial"}</style><script type="text/javascript">window.awsWafCookieDomainList = [];window.gokuProps = {"key":"AQIDAHjcYu","iv":"CgAHZ","context":"x"};</script><script src="https://de5282c3ca0c.edge.sdk.awswaf.com/de5282c3ca0c/526cf06acb0d/challenge.js"></script></head><body><div id="challenge-container"></div><script type="text/javascript">AwsWafIntegration.saveReferrer();AwsWafIntegration.checkForceRefresh().then((forceRefresh) => {window.location.reload(true);});</script><noscript><h1>JavaScript is disabled</h1>In order to continue, we need to verify that you're not a robot. This requires JavaScript. Enable JavaScript and then reload the page.</noscript></body></html>"#,
    ),
    Sent::new(
        "Akamai, bm-verify",
        r#"<!DOCTYPE html><html lang="en"><head><meta charset="UTF-8"><meta http-equiv="refresh" content="5; URL='/articles/?bm-verify=AAQAAAAJ_____x8A'" /><title>&nbsp;</title><style>body{margin:0}</style></head><body><noscript></noscript><script>var i = 1700000000;var j = i + Number("1234" + "56789");</script><script>var xhr = new XMLHttpRequest();xhr.open("POST", "/_sec/verify?provider=interstitial", false);xhr.setRequestHeader('Content-Type', 'application/json');xhr.send(JSON.stringify({"bm-verify": "AAQAAAAJ", "pow": j}));</script></body></html>"#,
    ),
    Sent::new(
        "Akamai, behavioral challenge",
        r#"<!DOCTYPE html><html><head><title>Challenge Validation</title><link rel="stylesheet" type="text/css" href="/_sec/cp_challenge/sec-4-4.css"></head><body><script type="text/javascript" src="/_sec/cp_challenge/sec-cpt-4-4.js"></script><div id="sec-if-cpt-container" role="main"></div></body></html>"#,
    ),
    Sent::new(
        "Anubis",
        r#"<!doctype html><html lang="en"><head><title>Making sure you&#39;re not a bot!</title><link rel="stylesheet" href="/.within.website/x/xess/xess.min.css?cachebuster=1.21.3"><meta name="robots" content="noindex,nofollow"><script id="anubis_version" type="application/json">"1.21.3"</script><script id="anubis_challenge" type="application/json">{"rules":{"algorithm":"fast","difficulty":4},"challenge":"6d"}</script></head><body id="top"><main><h1 id="title" class="centered-div">Making sure you&#39;re not a bot!</h1><div class="centered-div"><img id="image" src="/.within.website/x/cmd/anubis/static/img/pensive.webp"><p id="status">Loading...</p><script async type="module" src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script><div id="progress" role="progressbar"><div class="bar-inner"></div></div><details><summary>Why am I seeing this?</summary><p>You are seeing this because the administrator of this website has set up Anubis to protect the server against the scourge of AI companies aggressively scraping websites. This can and does cause downtime for the websites, which makes their resources inaccessible for everyone.</p><p>Anubis is a compromise. Anubis uses a Proof-of-Work scheme in the vein of Hashcash, a proposed proof-of-work scheme for reducing email spam. The idea is that at individual scales the additional load is ignorable, but at mass scraper levels it adds up and makes scraping much more expensive.</p></details></div></main><footer><p>Protected by <a href="https://github.com/TecharoHQ/anubis">Anubis</a> From <a href="https://techaro.lol">Techaro</a>.</p></footer></body></html>"#,
    ),
    Sent::new(
        "Anubis, German",
        r#"<!doctype html><html lang="de"><head><title>Es wird sichergestellt, dass Sie kein Bot sind!</title><script id="anubis_version" type="application/json">"1.23.0"</script><script id="anubis_challenge" type="application/json">{"rules":{}}</script></head><body id="top"><main><h1 id="title">Es wird sichergestellt, dass Sie kein Bot sind!</h1><img id="image" src="/.within.website/x/cmd/anubis/static/img/pensive.webp"><p id="status">Ladevorgang...</p><div id="progress" role="progressbar"></div></main></body></html>"#,
    ),
    Sent::new(
        "Vercel",
        r#"<!DOCTYPE html><html lang="en"><head><title>Vercel Security Checkpoint</title></head><body><p id="header-text">We're verifying your browser</p><p>Vercel Security Checkpoint | fra1::1700</p></body></html>"#,
    )
    .with_headers(&[("server", "Vercel"), ("x-vercel-mitigated", "challenge")]),
    Sent::new(
        "Kasada",
        r#"<!DOCTYPE html><html><head></head><body><script>window.KPSDK={};KPSDK.now=typeof performance!=='undefined'&&performance.now?performance.now.bind(performance):Date.now.bind(Date);KPSDK.start=KPSDK.now();</script><script src="/149e9513-01fa-4fb0-aad4-566afd725d1b/2d206a39-8ed7-437e-a3be-862e0f06eea3/ips.js?KP_UIDz=0a"></script></body></html>"#,
    ),
    Sent::new(
        "Sucuri, cookie by a script",
        r#"<html><title>You are being redirected...</title><noscript>Javascript is required. Please enable javascript before you are allowed to see this page.</noscript><script>var s={},u,c,U,r,i,l=0,a,e=eval,w=String.fromCharCode,sucuri_cloudproxy_js='',S='cz0iZ';</script></html>"#,
    ),
    Sent::new(
        "DDoS-Guard",
        r#"<!DOCTYPE html><html lang="en"><head><title>DDoS-Guard</title><script>(function(){fetch("https://check.ddos-guard.net/check.js")})();</script></head><body data-ddg-origin="true"><div class="container"><h1 id="ddg-l10n-title">Checking your browser before accessing example.org</h1><p id="ddg-l10n-description">Please wait a few seconds. Once this check is complete, the website will open automatically</p></div><script src="/.well-known/ddos-guard/js-challenge/index.js"></script></body></html>"#,
    ),
    Sent::new(
        "F5, TSPD",
        r#"<html><head><meta http-equiv="Pragma" content="no-cache"/><script type="text/javascript">(function(){window["bobcmn"] = "101110";window["failureConfig"] = "524f";})();</script><script type="text/javascript" src="/TSPD/08e36e?type=9"></script><noscript>Please enable JavaScript to view the page content.<br/>Your support ID is: 1234567890.</noscript></head><body></body></html>"#,
    ),
    Sent::new(
        "Alibaba Cloud, cookie by a script",
        r#"<html><script>var arg1='8A1D2F0B9B7A0F9A';var _0x4818=['csKHwqMI'];function setCookie(name,value){document.cookie=name+'='+value;}setCookie('acw_sc__v2', x);document.location.reload();</script></html>"#,
    ),
    Sent::new(
        "A browser check without a product",
        r#"<html><head><title>One moment, please...</title><meta http-equiv="refresh" content="5"></head><body><h1>Please wait while your request is being verified...</h1></body></html>"#,
    ),
];
