//! Pages that ask for scripts, refuse, or wait.

use super::Sent;

pub(super) const JAVASCRIPT: &[Sent] = &[
    Sent::new(
        "create-react-app",
        r#"<!doctype html><html lang="en"><head><meta charset="utf-8"/><title>React App</title><script defer="defer" src="/static/js/main.9a5e.js"></script></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>"#,
    ),
    Sent::new(
        "Vue CLI",
        r#"<!DOCTYPE html><html lang=""><head><meta charset="utf-8"><title>shop</title></head><body><noscript><strong>We're sorry but shop doesn't work properly without JavaScript enabled. Please enable it to continue.</strong></noscript><div id="app"></div><script src="/js/app.3f.js"></script></body></html>"#,
    ),
    Sent::new(
        "X",
        r#"<!DOCTYPE html><html dir="ltr" lang="en"><head><meta charset="utf-8" /></head><body><noscript><div class="errorContainer"><h1>JavaScript is not available.</h1><p>We’ve detected that JavaScript is disabled in this browser. Please enable JavaScript or switch to a supported browser to continue using x.com.</p></div></noscript><div id="react-root"></div><script src="https://abs.twimg.com/main.js"></script></body></html>"#,
    ),
    Sent::new(
        "German",
        r#"<html lang="de"><head><title>Portal</title></head><body><div id="app"></div><noscript>Bitte aktivieren Sie JavaScript in Ihrem Browser, um diese Seite zu nutzen.</noscript><script src="/app.js"></script></body></html>"#,
    ),
    Sent::new(
        "Chinese",
        r#"<html lang="zh"><head><meta charset="utf-8"><title>系统</title></head><body><noscript>抱歉，您的浏览器不支持或已禁用脚本，请启用JavaScript后刷新页面。</noscript><div id="app"></div><script src="/app.js"></script></body></html>"#,
    ),
];

pub(super) const DENIED: &[Sent] = &[
    Sent::new(
        "Akamai",
        r#"<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>You don't have permission to access "http&#58;&#47;&#47;www&#46;example&#46;org&#47;" on this server.<P>Reference&#32;&#35;18&#46;2d351ab8&#46;1557333295&#46;a4e16ab<P>https&#58;&#47;&#47;errors&#46;edgesuite&#46;net&#47;18&#46;2d351ab8</P></BODY></HTML>"#,
    )
    .with_headers(&[("server", "AkamaiGHost")]),
    Sent::new(
        "Cloudflare, block",
        r#"<!DOCTYPE html><html class="no-js" lang="en-US"><head><title>Attention Required! | Cloudflare</title><meta name="robots" content="noindex, nofollow" /><link rel="stylesheet" id="cf_styles-css" href="/cdn-cgi/styles/cf.errors.css" /></head><body><div id="cf-wrapper"><div class="cf-alert cf-alert-error cf-cookie-error" id="cookie-alert">Please enable cookies.</div><div id="cf-error-details" class="cf-error-details-wrapper"><div class="cf-wrapper cf-header cf-error-overview"><h1 data-translate="block_headline">Sorry, you have been blocked</h1><h2 class="cf-subheadline"><span data-translate="unable_to_access">You are unable to access</span> example.org</h2></div><div class="cf-section cf-wrapper"><div class="cf-columns two"><div class="cf-column"><h2 data-translate="blocked_why_headline">Why have I been blocked?</h2><p data-translate="blocked_why_detail">This website is using a security service to protect itself from online attacks. The action you just performed triggered the security solution. There are several actions that could trigger this block including submitting a certain word or phrase, a SQL command or malformed data.</p></div><div class="cf-column"><h2 data-translate="blocked_resolve_headline">What can I do to resolve this?</h2><p data-translate="blocked_resolve_detail">You can email the site owner to let them know you were blocked. Please include what you were doing when this page came up and the Cloudflare Ray ID found at the bottom of this page.</p></div></div></div><div class="cf-error-footer"><p>Cloudflare Ray ID: <strong>8ff1</strong> Your IP: 192.0.2.1 Performance &amp; security by Cloudflare</p></div></div></div></body></html>"#,
    ),
    Sent::new(
        "Cloudflare, error 1020",
        r#"<!DOCTYPE html><html lang="en-US"><head><title>Access denied | example.org used Cloudflare to restrict access</title></head><body><div id="cf-wrapper"><div id="cf-error-details"><h1>Error <span>1020</span></h1><h2>Access denied</h2><h3>What happened?</h3><p>This website is using a security service to protect itself from online attacks.</p></div></div></body></html>"#,
    ),
    Sent::new(
        "CloudFront",
        r#"<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd"><HTML><HEAD><TITLE>ERROR: The request could not be satisfied</TITLE></HEAD><BODY><H1>403 ERROR</H1><H2>The request could not be satisfied.</H2><HR noshade size="1px">Request blocked. We can't connect to the server for this app or website at this time. There might be too much traffic or a configuration error. Try again later, or contact the app or website owner.<BR clear="all">If you provide content to customers through CloudFront, you can find steps to troubleshoot and help prevent this error by reviewing the CloudFront documentation.<BR clear="all"><HR noshade size="1px"><PRE>Generated by cloudfront (CloudFront) Request ID: k3lEw==</PRE></BODY></HTML>"#,
    ),
    Sent::new(
        "F5",
        r#"<html><head><title>Request Rejected</title></head><body>The requested URL was rejected. Please consult with your administrator.<br><br>Your support ID is: 17349209817344<br><br><a href='javascript:history.back();'>[Go Back]</a></body></html>"#,
    ),
    Sent::new(
        "nginx",
        "<html><head><title>403 Forbidden</title></head><body><center><h1>403 Forbidden</h1></center><hr><center>nginx/1.18.0</center></body></html>",
    ),
    Sent::new(
        "Apache",
        r#"<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN"><html><head><title>403 Forbidden</title></head><body><h1>Forbidden</h1><p>You don't have permission to access /private/ on this server.<br /></p><hr><address>Apache/2.4.41 (Ubuntu) Server at example.org Port 443</address></body></html>"#,
    ),
    Sent::new(
        "Wordfence",
        r#"<html><head><title>Your access to this site has been limited by the site owner</title></head><body><h1>Your access to this site has been limited by the site owner</h1><p>Your access to this service has been limited. (HTTP response code 503)</p><p>If you think you have been blocked in error, contact the owner of this site for assistance.</p><h3>Block Technical Data</h3><table><tr><th>Block Reason:</th><td>Access from your area has been temporarily limited for security reasons</td></tr><tr><th>Time:</th><td>Wed, 1 May 2024 0:00:00 GMT</td></tr></table><h3>About Wordfence</h3><p>Wordfence is a security plugin installed on over 4 million WordPress sites.</p><p>Generated by Wordfence at Wed, 1 May 2024 0:00:00 GMT.</p></body></html>"#,
    ),
    Sent::new(
        "Drupal",
        r#"<html><head><title>Access denied | Example</title></head><body><nav><a href="/">Home</a> <a href="/news">News</a></nav><main><h1>Access denied</h1><div class="content">You are not authorized to access this page.</div></main></body></html>"#,
    ),
    Sent::new(
        "Alibaba Cloud",
        r#"<!doctypehtml><html lang="zh-cn"><head><meta charset="utf-8"><title>405</title></head><body><div class="main"><div class="img">405</div><div class="desc"><p>很抱歉，由于您访问的URL有可能对网站造成安全威胁，您的访问被阻断。</p><p>您的请求ID是: 7ae1f</p></div></div></body></html>"#,
    ),
    Sent::new(
        "French",
        "<html lang=fr><head><title>Accès refusé</title></head><body><h1>Accès refusé</h1><p>Vous n'avez pas l'autorisation d'accéder à cette page.</p></body></html>",
    ),
];

pub(super) const RATE_LIMIT: &[Sent] = &[
    Sent::new(
        "nginx",
        "<html><head><title>429 Too Many Requests</title></head><body><center><h1>429 Too Many Requests</h1></center><hr><center>nginx</center></body></html>",
    ),
    Sent::new(
        "Cloudflare, error 1015",
        r#"<!DOCTYPE html><html lang="en-US"><head><title>Access denied | example.org used Cloudflare to restrict access</title></head><body><div id="cf-wrapper"><div id="cf-error-details"><h1>Error 1015</h1><h2>You are being rate limited</h2><h3>What happened?</h3><p>The owner of this website (example.org) has banned you temporarily from accessing this website.</p></div></div></body></html>"#,
    ),
    Sent::new(
        "English",
        "<html><head><title>Slow down</title></head><body><h1>Slow down</h1><p>You have sent too many requests in a given amount of time. Please try again later.</p></body></html>",
    ),
    Sent::new(
        "Chinese",
        r#"<html><head><meta charset="utf-8"><title>系统提示</title></head><body><p>您的访问过于频繁，请稍后再试！</p></body></html>"#,
    ),
    Sent::new(
        "German",
        "<html><head><meta charset=utf-8><title>Fehler</title></head><body><p>Zu viele Anfragen. Bitte versuchen Sie es später erneut.</p></body></html>",
    ),
    Sent::new(
        "Russian",
        "<html><head><meta charset=utf-8><title>Ошибка</title></head><body><p>Слишком много запросов. Попробуйте позже.</p></body></html>",
    ),
];

pub(super) const REGION: &[Sent] = &[
    Sent::new(
        "Cloudflare, error 1009",
        r#"<!DOCTYPE html><html lang="en-US"><head><title>Access denied | example.org used Cloudflare to restrict access</title></head><body><div id="cf-wrapper"><div id="cf-error-details"><h1>Error 1009</h1><h2>Access denied</h2><h3>What happened?</h3><p>The owner of this website (example.org) has banned the country or region your IP address is in (DE) from accessing this website.</p></div></div></body></html>"#,
    ),
    Sent::new(
        "American newspaper",
        r#"<html><head><title>451: Unavailable due to legal reasons</title></head><body><h1>451: Unavailable due to legal reasons</h1><p>We recognize you are attempting to access this website from a country belonging to the European Economic Area (EEA) including the EU which enforces the General Data Protection Regulation (GDPR) and therefore access cannot be granted at this time. For any issues, contact webmaster@example.org or call 555-0100.</p></body></html>"#,
    ),
    Sent::new(
        "English",
        "<html><head><title>Example TV</title></head><body><h1>Sorry!</h1><p>This content is not available in your region.</p></body></html>",
    ),
    Sent::new(
        "German",
        "<html lang=de><head><meta charset=utf-8><title>Mediathek</title></head><body><p>Dieses Video ist in Ihrem Land nicht verfügbar.</p></body></html>",
    ),
    Sent::new(
        "Chinese",
        "<html><head><meta charset=utf-8><title>视频</title></head><body><p>抱歉，由于版权限制，您所在的地区暂时无法观看。</p></body></html>",
    ),
];
