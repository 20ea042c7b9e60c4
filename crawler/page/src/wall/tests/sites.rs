//! Pages of a site that is not there, or that wants something first.

use super::Sent;

pub(super) const CONSENT: &[Sent] = &[
    Sent::new(
        "Google",
        r#"<!doctype html><html lang="en"><head><title>Before you continue</title></head><body><div><h1>Before you continue to Google</h1><div>We use cookies and data to</div><ul><li>Deliver and maintain Google services</li><li>Track outages and protect against spam, fraud, and abuse</li><li>Measure audience engagement and site statistics to understand how our services are used and enhance the quality of those services</li></ul><div>If you choose to “Accept all,” we will also use cookies and data to</div><ul><li>Develop and improve new services</li><li>Deliver and measure the effectiveness of ads</li></ul><form action="https://consent.google.com/save" method="POST"><input type="submit" value="Reject all"></form><form action="https://consent.google.com/save" method="POST"><input type="submit" value="Accept all"></form><p>If you choose to “Reject all,” we will not use cookies for these additional purposes.</p></div></body></html>"#,
    )
    .at("https://www.google.com/search?q=harbour"),
    Sent::new(
        "Yahoo, German",
        r#"<!DOCTYPE html><html lang="de-DE"><head><meta charset="utf-8"><title>Yahoo ist Teil der Yahoo Markenfamilie</title></head><body class="consent"><div class="consent-form-outer"><form method="post" class="consent-form"><h1>Ihre Daten. Ihre Entscheidung.</h1><p>Yahoo ist Teil der Yahoo Markenfamilie. Wenn Sie unsere Websites und Apps nutzen, verwenden wir Cookies, um Ihnen unsere Dienste bereitzustellen, Nutzer zu authentifizieren und Missbrauch zu verhindern.</p><p>Wenn Sie auf „Alle akzeptieren“ klicken, verwenden wir und unsere Partner auch Cookies und Standortdaten. Klicken Sie auf „Alle ablehnen“, wenn Sie das nicht möchten.</p><button name="agree" value="agree">Alle akzeptieren</button><button name="reject" value="reject">Alle ablehnen</button></form></div></body></html>"#,
    ),
    Sent::new(
        "DPG Media",
        r#"<!DOCTYPE html><html lang="nl"><head><title>DPG Media Privacy Gate</title><script src="https://myprivacy-static.dpgmedia.net/consent.js"></script></head><body><div id="consent"><h1>Cookies en privacy</h1><p>Wij gebruiken cookies en vergelijkbare technieken om onze diensten te verbeteren. Klik op Akkoord om verder te gaan.</p><button>Akkoord</button></div></body></html>"#,
    ),
];

pub(super) const LOGIN: &[Sent] = &[
    Sent::new(
        "English, with a form",
        r#"<html><head><title>Members area - Example</title></head><body><h1>Log in</h1><p>You must be logged in to view this page.</p><form action="/session" method="post"><label>User <input name="user"></label><label>Password <input type="password" name="pw"></label><button>Log in</button></form></body></html>"#,
    ),
    Sent::new(
        "English, with a link",
        r#"<html><head><title>Example forum</title></head><body><div class="message">You are not logged in or you do not have permission to access this page.</div><a href="/login.php?next=/t/1">Log in</a></body></html>"#,
    ),
    Sent::new(
        "German",
        r#"<html lang="de"><head><meta charset="utf-8"><title>Beispiel</title></head><body><p>Bitte melden Sie sich an, um diesen Inhalt zu sehen.</p><form method="post"><input name="benutzer"><input type="password" name="kennwort"></form></body></html>"#,
    ),
    Sent::new(
        "Chinese",
        r#"<html><head><meta charset="utf-8"><title>提示信息</title></head><body><div class="alert">抱歉，您需要先登录才能继续本操作。请先登录。</div><a href="member.php?mod=logging&action=login">登录</a></body></html>"#,
    ),
    Sent::new(
        "Japanese",
        r#"<html lang="ja"><head><meta charset="utf-8"><title>会員ページ</title></head><body><p>このページを表示するにはログインが必要です。</p><a href="/login">ログイン</a></body></html>"#,
    ),
];

pub(super) const PARKED: &[Sent] = &[
    Sent::new(
        "Sedo",
        r#"<!DOCTYPE html><html lang="en" data-adblockkey="MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAN"><head><title>example.org - This website is for sale! - example Resources and Information.</title><meta name="description" content="This website is for sale!"><link href="//www.google.com" rel="dns-prefetch"></head><body><div id="container"><img src="https://img.sedoparking.com/templates/logos/sedo_logo.png"><p>The domain example.org may be for sale by its owner!</p></div><script src="//d38psrni17bvxu.cloudfront.net/scripts/js3.js"></script></body></html>"#,
    ),
    Sent::new(
        "Bodis",
        r#"<!doctype html><html data-adblockkey="MFww" lang="en"><head><title></title><link rel="icon" href="data:image/png;base64,iV"></head><body><div id="target" style="opacity: 0"></div><script>window.park = "eyJ1dWlkIjoi";</script><script src="/bXyZ.js"></script></body></html>"#,
    ),
    Sent::new(
        "GoDaddy",
        r#"<!doctype html><html lang="en"><head><title>example.org</title><script src="https://img1.wsimg.com/parking-lander/static/js/main.d9ebbb8c.js"></script></head><body><div id="root"></div></body></html>"#,
    ),
    Sent::new(
        "English, for sale",
        r#"<html><head><title>harbour.example</title></head><body><h1>harbour.example</h1><p>This domain is for sale. Make an offer now!</p><a href="https://dan.example/harbour">Buy now</a></body></html>"#,
    ),
    Sent::new(
        "German",
        r#"<html lang="de"><head><meta charset="utf-8"><title>hafen.example</title></head><body><p>Diese Domain steht zum Verkauf. Jetzt anfragen!</p></body></html>"#,
    ),
    Sent::new(
        "Chinese",
        r#"<html><head><meta charset="utf-8"><title>harbour.example</title></head><body><p>您正在访问的域名可以转让！请联系我们。</p></body></html>"#,
    ),
    Sent::new(
        "expired",
        r#"<html><head><title>harbour.example</title></head><body><h1>This domain has expired.</h1><p>If you owned this domain, contact your domain registration service provider for further assistance.</p></body></html>"#,
    ),
];

pub(super) const DEFAULT_PAGE: &[Sent] = &[
    Sent::new(
        "nginx",
        r#"<!DOCTYPE html><html><head><title>Welcome to nginx!</title><style>body{width:35em;margin:0 auto}</style></head><body><h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is successfully installed and working. Further configuration is required.</p><p>For online documentation and support please refer to <a href="http://nginx.org/">nginx.org</a>.<br/>Commercial support is available at <a href="http://nginx.com/">nginx.com</a>.</p><p><em>Thank you for using nginx.</em></p></body></html>"#,
    ),
    Sent::new(
        "Apache, Ubuntu",
        r#"<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd"><html xmlns="http://www.w3.org/1999/xhtml"><head><title>Apache2 Ubuntu Default Page: It works</title></head><body><div class="main_page"><div class="page_header floating_element"><span class="floating_element">Apache2 Ubuntu Default Page</span></div><div class="content_section floating_element"><div class="section_header section_header_red">It works!</div><div class="content_section_text"><p>This is the default welcome page used to test the correct operation of the Apache2 server after installation on Ubuntu systems. It is based on the equivalent page on Debian, from which the Ubuntu Apache packaging is derived. If you can read this page, it means that the Apache HTTP server installed at this site is working properly. You should <b>replace this file</b> (located at <tt>/var/www/html/index.html</tt>) before continuing to operate your HTTP server.</p><p>If you are a normal user of this web site and don't know what this page is about, this probably means that the site is currently unavailable due to maintenance. If the problem persists, please contact the site's administrator.</p></div><div class="section_header">Configuration Overview</div><div class="content_section_text"><p>Ubuntu's Apache2 default configuration is different from the upstream default configuration, and split into several files optimized for interaction with Ubuntu tools. The configuration system is fully documented in /usr/share/doc/apache2/README.Debian.gz. Refer to this for the full documentation.</p></div></div></div></body></html>"#,
    ),
    Sent::new("Apache, from source", "<html><body><h1>It works!</h1></body></html>"),
    Sent::new(
        "IIS",
        r#"<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"><html xmlns="http://www.w3.org/1999/xhtml"><head><title>IIS Windows Server</title></head><body><div id="container"><a href="http://go.microsoft.com/fwlink/?linkid=66138&amp;clcid=0x409"><img src="iisstart.png" alt="IIS" width="960" height="600" /></a></div></body></html>"#,
    ),
    Sent::new(
        "CentOS",
        r#"<html><head><title>Apache HTTP Server Test Page powered by CentOS</title></head><body><h1>Testing 123..</h1><p class="lead">This page is used to test the proper operation of the <a href="http://apache.org">Apache HTTP server</a> after it has been installed. If you can read this page it means that this site is working properly. This server is powered by <a href="http://centos.org">CentOS</a>.</p><h2>Just visiting?</h2><p>The website you just visited is either experiencing problems or is undergoing routine maintenance.</p><h2>Are you the Administrator?</h2><p>You should add your website content to the directory /var/www/html/.</p></body></html>"#,
    ),
    Sent::new(
        "Tomcat",
        r#"<!DOCTYPE html><html lang="en"><head><title>Apache Tomcat/9.0.31</title></head><body><div id="wrapper"><h1>Apache Tomcat/9.0.31</h1><h2>If you're seeing this, you've successfully installed Tomcat. Congratulations!</h2><h3>Recommended Reading:</h3><ul><li><a href="/docs/security-howto.html">Security Considerations How-To</a></li><li><a href="/docs/manager-howto.html">Manager Application How-To</a></li></ul></div></body></html>"#,
    ),
    Sent::new(
        "Plesk",
        r#"<!DOCTYPE html><html lang="en"><head><title>Web Server's Default Page</title></head><body><main><h1>Web Server's Default Page</h1><p>This page is generated by <a href="https://www.plesk.com">Plesk</a>, the leading hosting automation software. You see this page because there is no Web site at this address.</p></main></body></html>"#,
    ),
    Sent::new(
        "BT panel, Chinese",
        r#"<!doctype html><html><head><meta charset="utf-8"><title>恭喜，站点创建成功！</title></head><body><div class="container"><h1>恭喜, 站点创建成功！</h1><h3>这是默认index.html，本页面由系统自动生成</h3><ul><li>本页面在FTP根目录下的index.html</li><li>您可以修改、删除或覆盖本页面</li></ul></div></body></html>"#,
    ),
    Sent::new(
        "BT panel, no site",
        r#"<!DOCTYPE html><html lang="zh-CN"><head><meta charset="UTF-8"><title>没有找到站点</title></head><body><div class="t">没有找到站点</div><div class="des"><p>您的请求在Web服务器中没有找到对应的站点！</p><p>可能原因：您没有将此域名或IP绑定到对应站点</p></div></body></html>"#,
    ),
];
