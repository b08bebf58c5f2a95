"""The HTML shells. A page is a shell with its style sheets and one module; everything else comes over the stream."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from string import Template

from starlette.requests import Request
from starlette.responses import HTMLResponse

from marker_hub.web.assets import assets, modules
from marker_hub.web.auth import Role, Session
from marker_hub.web.settings import LANGUAGES, WebSettings

LANGUAGE_COOKIE = "marker_lang"

SHELL = Template("""<!doctype html>
<html lang="$lang" class="$page" data-page="$page" data-theme="$theme" data-build="$build" data-table="$table" data-zone="$zone" data-role="$role"$extra>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="$scheme">
<title>$title</title>
<link rel="stylesheet" href="$static/css/page.$style.css">
$preloads
<link rel="icon" href="$static/icon.svg" type="image/svg+xml">
<script type="module" src="$static/js/pages/$page.js"></script>
</head>
<body><div id="app"></div><noscript>This page needs JavaScript.</noscript></body>
</html>
""")

_CYRILLIC = ("marker-text-500-cyrillic", "marker-text-700-cyrillic", "marker-name-600-cyrillic")
_LATIN = ("marker-digits", "marker-text-500-latin", "marker-text-700-latin", "marker-name-600-latin")


@dataclass(frozen=True, slots=True)
class Page:
    """`name`: module; `style`: its sheet; `dark`: always dark, because people look at it from afar; `least`: role it needs."""

    name: str
    style: str
    dark: bool = False
    least: Role = Role.VIEWER


PAGES = {
    page.name: page
    for page in (
        Page("hall", "hall", dark=True),
        Page("display", "display", dark=True),
        Page("overlay", "overlay", dark=True),
        Page("referee", "referee", least=Role.PLAYER),
        Page("service", "service", least=Role.ADMIN),
        Page("matches", "data"),
        Page("match", "data"),
        Page("day", "data"),
        Page("admin", "data", least=Role.ADMIN),
        Page("login", "login"),
        Page("join", "login"),
        Page("missing", "login"),
    )
}


def language(request: Request, settings: WebSettings) -> str:
    """The language of a page: asked for in the address, chosen before, or the club's."""
    for choice in (request.query_params.get("lang"), request.cookies.get(LANGUAGE_COOKIE)):
        if choice in LANGUAGES:
            return choice
    return settings.language


def missing(request: Request, settings: WebSettings, session: Session, absent: str) -> HTMLResponse:
    """The page of an address that leads nowhere; absent: what there is not, `table` or `page`."""
    return shell(PAGES["missing"], request, settings, session, status=404, absent=absent)


def shell(
    page: Page,
    request: Request,
    settings: WebSettings,
    session: Session,
    *,
    table: str = "",
    status: int = 200,
    match: str = "",
    absent: str = "",
) -> HTMLResponse:
    """The shell of `page`; `match`: the match the page is about; `absent`: what there is not, `table` or `page`."""
    lang = language(request, settings)
    static = f"/static/{assets().build}"
    fonts = (*_LATIN, *(_CYRILLIC if lang == "ru" else ()))
    preloads = "\n".join(
        f'<link rel="preload" as="font" type="font/woff2" crossorigin href="{static}/fonts/{font}.woff2">'
        for font in fonts
    )
    preloads += f'\n<link rel="preload" as="fetch" crossorigin href="{static}/locales/{lang}.json">'
    preloads += "".join(f'\n<link rel="modulepreload" href="{static}/{path}">' for path in modules(page.name))
    role = session.role(table) if table else session.highest
    html = SHELL.substitute(
        lang=lang,
        page=page.name,
        style=page.style,
        theme="dark" if page.dark or page.name in {"referee", "service"} else "auto",
        scheme="dark" if page.dark else "dark light",
        build=assets().build,
        table=escape(table),
        zone=escape(settings.zone),
        role=role.word,
        title=escape(settings.hall or "billiard-marker"),
        static=static,
        preloads=preloads,
        extra=(f' data-match="{escape(match)}"' if match else "") + (f' data-absent="{absent}"' if absent else ""),
    )
    return HTMLResponse(html, status_code=status, headers={"Cache-Control": "no-store"})
