use super::*;

#[test]
fn pages_that_explain_a_status_are_told_from_pages_that_excuse_themselves() {
    for article in [
        "The server cannot find the requested resource. In a browser, this means that the URL is not recognised. Servers may send this status \
         instead of 403 to hide a resource from a client that is not allowed to see it. The status says nothing about whether the absence is \
         temporary or permanent; for the latter there is 410.",
        "The HTTP 404 Not Found response status code indicates that the server cannot find the requested resource. Links that lead to a 404 \
         page are often called broken or dead links.",
        "The origin server did not find a current representation for the target resource or is not willing to disclose that one exists. A 404 \
         status code does not indicate whether this lack of representation is temporary or permanent; the 410 Gone status code is preferred over \
         404 if the origin server knows, presumably through some configurable means, that the condition is likely to be permanent. A 404 response \
         is cacheable by default.",
        "404 is sent when no handler matches the path. See 405 for a path that exists with other methods, and the HTTP specification for headers.",
        "Not Found is a short film of 2019 about a librarian who files the requests that nobody could answer. It was shot in eleven days in the \
         reading room of the old harbour office, and won the prize of the jury at two festivals in the north.",
        "Der HTTP-Statuscode 404 bedeutet, dass der Server unter der Adresse nichts gefunden hat. Er sagt nicht, ob das für immer so ist; dafür \
         gibt es den Code 410. Ein Client darf die Anfrage wiederholen.",
        "Le code d’état HTTP 404 indique que le serveur ne trouve pas la ressource demandée. Il ne dit pas si l’absence est temporaire ou \
         permanente : le code 410 existe pour ce cas.",
        "El código de estado HTTP 404 indica que el servidor no encuentra el recurso solicitado. Si la ausencia es permanente, el servidor \
         debería responder con 410.",
        "404是HTTP状态码之一，表示服务器找不到客户端所请求的资源。它不说明资源是暂时缺失还是永久缺失；永久缺失时应当使用410。搜索引擎会从索引中删除这样的网址。",
        "404はHTTPのステータスコードの一つで、サーバーが要求されたリソースを見つけられないことを表す。永久に失われた場合は410を使う。",
        "Код состояния HTTP 404 означает, что сервер не нашёл ресурс по этому адресу. Он не говорит, временно ли это; для постоянного отсутствия \
         есть код 410, и клиент может повторить запрос.",
    ] {
        assert!(explains(article), "{article}");
    }
    for excuse in [
        "",
        "Not Found. The requested URL was not found on this server.",
        "Sorry, we could not find what you were looking for. Go back to the start page.",
        "Oops! That page can’t be found. It looks like nothing was found at this location. Maybe try one of the links below or a search? Recent \
         Posts Hello world Archives May 2021 April 2021 Categories Uncategorized News Events Meta Log in Entries feed Comments feed WordPress.org",
        "The page you are looking for might have been removed, had its name changed, or is temporarily unavailable. Please check the address for \
         typing errors, or use the navigation above to find your way. If you think this is an error, contact us and tell us which link you followed.",
        "HTTP Status 404 – Not Found. Type Status Report. Message The requested resource is not available. Description The origin server did not \
         find a current representation for the target resource or is not willing to disclose that one exists. Apache Tomcat/9.0.31",
        "Error 404. We can't find that page. HTTP 404 means that the server has no page at this URL. You can return to the home page, or search for \
         what you need with the box above. Our staff will help you by phone from nine to five on every working day.",
        "Leider konnten wir die gesuchte Seite nicht finden. Möglicherweise wurde sie verschoben oder gelöscht, oder Sie haben sich bei der Eingabe \
         vertippt. Bitte benutzen Sie die Suche oder gehen Sie zurück zur Startseite. Dort finden Sie alle Themen unserer Redaktion.",
        "Désolé, la page que vous cherchez n’existe pas ou plus. Vérifiez l’adresse ou retournez à l’accueil du site pour trouver les rubriques, les \
         dossiers et les dernières nouvelles de la région.",
        "Lo sentimos, la página que buscas no existe o ha cambiado de dirección. Puedes volver a la página principal o utilizar el buscador que está \
         en la parte superior para encontrar el contenido.",
        "抱歉，您访问的页面不存在或已被删除。请检查您输入的网址是否正确，或者返回首页继续浏览本站的其他内容，也可以使用上方的搜索框查找您需要的信息。",
        "お探しのページは見つかりませんでした。移動または削除された可能性があります。お手数ですが、トップページから目的のページをお探しください。",
        "К сожалению, запрашиваемая вами страница не найдена. Возможно, она была удалена или перемещена. Проверьте адрес или вернитесь на главную \
         страницу сайта, где есть новости, расписание и адреса всех отделений.",
        "요청하신 페이지를 찾을 수 없습니다. 페이지의 주소가 잘못 입력되었거나 변경 또는 삭제되어 사용할 수 없습니다. 입력하신 주소가 정확한지 다시 한번 확인해 주세요. 이전 페이지 홈으로",
    ] {
        assert!(!explains(excuse), "{excuse}");
    }
}
