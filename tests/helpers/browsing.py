"""Steps of a person in a browser."""


def follow(page, link):
    """Open a link that carries a token, and wait for the page that signing in leads to.

    The page sends the token, and then loads itself again. Whoever goes elsewhere before that is
    interrupted by it.
    """
    seen = ["link"]

    def note_request(request):
        if seen[-1] == "link" and request.method == "POST" and "/api/v1/session" in request.url:
            seen.append("sent")
        elif seen[-1] == "sent" and request.is_navigation_request():
            seen.append("again")

    def note_load(_):
        if seen[-1] == "again":
            seen.append("there")

    page.on("request", note_request)
    page.on("load", note_load)
    page.goto(link, wait_until="commit")
    while seen[-1] != "there":
        page.wait_for_timeout(20)
    page.remove_listener("request", note_request)
    page.remove_listener("load", note_load)
