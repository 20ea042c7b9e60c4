//! Tasks for people.

use super::Sent;

pub(super) const PAGES: &[Sent] = &[
    Sent::new(
        "AWS WAF, header",
        "<html><head><title>Human Verification</title></head><body></body></html>",
    )
    .with_headers(&[("x-amzn-waf-action", "captcha")]),
    Sent::new(
        "Google, unusual traffic",
        r#"<!DOCTYPE html><html><head><title>https://www.google.com/search?q=harbour</title></head><body><form id="captcha-form" action="index" method="post"><script src="https://www.google.com/recaptcha/enterprise.js" async defer></script><div id="recaptcha" class="g-recaptcha" data-sitekey="6Ld"></div><input type='hidden' name='q' value='EgR'></form><hr noshade size="1"><div style="font-size:13px;"><b>About this page</b><br><br>Our systems have detected unusual traffic from your computer network.  This page checks to see if it&#39;s really you sending the requests, and not a robot.  <a href="/sorry/why">Why did this happen?</a><br><br>IP address: 192.0.2.1<br>Time: 2024-05-01T00:00:00Z<br>URL: https://www.google.com/search?q=harbour<br></div></body></html>"#,
    ),
    Sent::new(
        "Amazon, characters",
        r#"<!DOCTYPE html><html class="a-no-js" lang="en-us"><head><title dir="ltr">Amazon.com</title></head><body><div class="a-container a-padding-double-large"><div class="a-box"><h4>Enter the characters you see below</h4><p class="a-last">Sorry, we just need to make sure you're not a robot. For best results, please make sure your browser is accepting cookies.</p></div><form method="get" action="/errors/validateCaptcha" name=""><input type=hidden name="amzn" value="x" /><h4>Type the characters you see in this image:</h4><img src="https://images-na.ssl-images-amazon.com/captcha/x.jpg"><input autocomplete="off" id="captchacharacters" name="field-keywords" type="text"><button type="submit">Continue shopping</button></form></div><a href="https://www.amazon.com/gp/help">Conditions of Use</a></body></html>"#,
    ),
    Sent::new(
        "Yandex",
        r#"<!DOCTYPE html><html lang="ru"><head><title>Вы не робот?</title></head><body><div class="CheckboxCaptcha"><form method="POST" action="/checkcaptcha?key=1" id="checkbox-captcha-form"><h1>Подтвердите, что запросы отправляли вы, а не робот</h1><p>Нам очень жаль, но запросы с вашего устройства похожи на автоматические.</p><label>Я не робот</label><input type="submit" id="js-button"></form></div></body></html>"#,
    ),
    Sent::new(
        "Baidu",
        r#"<!DOCTYPE html><html lang="zh-CN"><head><meta charset="utf-8"><title>百度安全验证</title><link rel="stylesheet" href="https://ppui-static-wap.cdn.bcebos.com/static/touch/css/api/mkdjump.css"/></head><body><div class="timeout hide"><div class="timeout-img"></div><div class="timeout-title">网络不给力，请稍后重试</div><button type="button" class="timeout-button">返回首页</button></div><div class="timeout-feedback hide"><p>问题反馈</p></div><script src="https://wappass.baidu.com/static/waps/captcha.js"></script></body></html>"#,
    ),
    Sent::new(
        "reCAPTCHA, English",
        r#"<html><head><title>example.org</title><script src="https://www.google.com/recaptcha/api.js"></script></head><body><form method="post" action="/verify"><h2>Please verify that you are not a robot</h2><p>Too much traffic comes from your network.</p><div class="g-recaptcha" data-sitekey="x"></div><button>Continue</button></form></body></html>"#,
    ),
    Sent::new(
        "hCaptcha, German",
        r#"<html lang="de"><head><title>Sicherheitsabfrage</title><script src="https://js.hcaptcha.com/1/api.js" async defer></script></head><body><h1>Sicherheitsabfrage</h1><p>Bitte bestätigen Sie, dass Sie kein Roboter sind.</p><form method="post"><div class="h-captcha" data-sitekey="y"></div><input type="submit" value="Weiter"></form></body></html>"#,
    ),
    Sent::new(
        "picture, Chinese",
        r#"<html><head><meta charset="utf-8"><title>安全验证</title></head><body><div class="box"><p>您的访问出现异常，请输入验证码后继续访问</p><form action="/antispider/check" method="post"><input type="text" name="code"><img src="/util/captcha?t=1" id="verifyimg"><button>提交</button></form></div></body></html>"#,
    ),
    Sent::new(
        "slider, Chinese",
        r#"<html><head><meta charset="utf-8"><title>验证中心</title><script src="https://static.geetest.com/v4/gt4.js"></script></head><body><div id="captcha"></div><p>请完成安全验证：向右滑动滑块完成拼图</p></body></html>"#,
    ),
    Sent::new(
        "French",
        r#"<html lang="fr"><head><title>example.fr</title></head><body><p>Veuillez confirmer que vous n'êtes pas un robot.</p><form><div class="frc-captcha" data-sitekey="z"></div></form></body></html>"#,
    ),
];
