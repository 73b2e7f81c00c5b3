"""The Web API over HTTP: token, rate, scope, effect; in that order, as the caller sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from aiohttp import web

from tests.servers.exchange import Exchange
from tests.servers.inspection import Inspector
from tests.servers.slack import chat, files, reading
from tests.servers.slack.calls import Call, Refused
from tests.servers.slack.faults import Request, too_many
from tests.servers.slack.inspection import MARKS, look
from tests.servers.slack.installation import Installation, ResponseUrl
from tests.servers.slack.people import Workspace, say_back
from tests.servers.slack.rates import Rates
from tests.servers.slack.world import Json, Message, Whisper

Method = Callable[[Call], Json]

METHODS: Mapping[str, Method] = {
    "api.test": lambda _call: {},
    "assistant.threads.setStatus": chat.set_status,
    "auth.test": reading.whoami,
    "bots.info": reading.bot,
    "chat.delete": chat.delete,
    "chat.getPermalink": chat.permalink,
    "chat.postEphemeral": chat.post_ephemeral,
    "chat.postMessage": chat.post,
    "chat.update": chat.update,
    "conversations.history": reading.history,
    "conversations.info": reading.info,
    "conversations.members": reading.members,
    "conversations.open": reading.open_direct,
    "conversations.replies": reading.replies,
    "files.completeUploadExternal": files.complete,
    "files.getUploadURLExternal": files.announce,
    "reactions.add": chat.add_reaction,
    "reactions.remove": chat.remove_reaction,
    "users.info": reading.user,
}
MOST_USES_OF_A_URL = 5


@dataclass
class WebApi(Exchange):
    """What was asked of it, and what it makes of that."""

    inspector: Inspector = field(default_factory=lambda: Inspector(MARKS))
    rates: Rates = field(default_factory=Rates)
    base_url: str = ""
    workspaces: list[Workspace] = field(default_factory=list)

    async def call(self, request: web.Request) -> web.StreamResponse:
        """Any method."""
        method = request.match_info["method"]
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        home = self._home(token)
        recorded = method, await arguments_of(request), home.team if home else ""
        return await self.under_fate(request, recorded, lambda one: self._answer(one, token))

    async def respond(self, request: web.Request) -> web.StreamResponse:
        """An answer at the URL of a command or a click."""
        key = request.match_info["key"]
        home = next((each for each in self.workspaces if key in each.urls), None)
        recorded = "response_url", await arguments_of(request), home.team if home else ""
        return await self.under_fate(request, recorded, lambda one: self._use(one, home, key))

    async def upload(self, request: web.Request) -> web.StreamResponse:
        """A file at the address that was given for it."""
        key, content = request.match_info["key"], await request.read()
        found = (each for home in self.workspaces for each in home.uploads.values())
        upload = next((each for each in found if each.key == key), None)
        is_taken = upload is not None and upload.bring(content)
        return web.Response(text="OK") if is_taken else web.Response(status=400)

    def _answer(self, recorded: Request, token: str) -> web.Response:
        home = self._home(token)
        try:
            body = self._effect(recorded, home, token)
        except Refused as refused:
            recorded.error = refused.body["error"]
            body = refused.body
        except _TooManyError as limited:
            recorded.error = "ratelimited"
            return too_many(limited.seconds)
        scopes = ",".join(sorted(home.scopes)) if home else ""
        return web.json_response({"ok": True, **body}, headers={"x-oauth-scopes": scopes})

    def _effect(self, recorded: Request, home: Installation | None, token: str) -> Json:
        if not token:
            raise Refused("not_authed")
        if home is None:
            raise Refused("invalid_auth")
        if home.token_error:
            raise Refused(home.token_error)
        self._count(recorded, home)
        if recorded.method == "apps.connections.open":
            return self._open(home, token)
        if token == home.app_token:
            if recorded.method == "auth.test":
                return {"app_name": home.bot.name, "app_id": home.hub.app_id}
            raise Refused("not_allowed_token_type")
        method = METHODS.get(recorded.method)
        if method is None:
            raise Refused("unknown_method", req_method=recorded.method)
        look(self.inspector, recorded.method, recorded.arguments)
        return method(Call(home, recorded.arguments))

    def _count(self, recorded: Request, home: Installation) -> None:
        place = recorded.arguments.get("channel") or recorded.arguments.get("channel_id") or ""
        wait = self.rates.take(recorded.method, home.team, str(place), self.clock())
        if wait:
            raise _TooManyError(wait)

    def _open(self, home: Installation, token: str) -> Json:
        if token != home.app_token:
            raise Refused("not_allowed_token_type")
        if not home.app_token_connects:
            raise Refused("missing_scope", needed="connections:write", provided="")
        if not home.hub.enabled:
            raise Refused("forbidden_team")
        link = self.base_url.replace("http", "ws", 1).removesuffix("api/")
        return {"url": f"{link}link/?ticket={home.hub.ticket()}&app_id={home.hub.app_id}"}

    def _use(self, recorded: Request, home: Installation | None, key: str) -> web.Response:
        url = home.urls[key] if home else None
        if home is None or url is None or url.expires <= self.clock():
            recorded.error = "expired_url"
        elif url.uses >= MOST_USES_OF_A_URL:
            recorded.error = "used_url"
        if home is None or url is None or recorded.error:
            return web.json_response({"ok": False, "error": recorded.error}, status=404)
        url.uses += 1
        look(self.inspector, recorded.method, recorded.arguments)
        respond_at(home, url, recorded.arguments)
        return web.Response(text="ok")

    def _home(self, token: str) -> Installation | None:
        if not token:
            return None
        mine = (each for each in self.workspaces if token in {each.bot_token, each.app_token})
        return next(mine, None)


class _TooManyError(Exception):
    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def respond_at(home: Installation, url: ResponseUrl, answer: Json) -> None:
    original = url.original
    if not (answer.get("delete_original") or answer.get("replace_original")) or original is None:
        say_back(home, url.channel, url.user, answer)
    elif isinstance(original, Whisper):
        _put_in_place(home.whispers[url.user], original, answer)
    elif answer.get("delete_original"):
        home.delete(original)
    else:
        _change(home, original, answer)


def _put_in_place(whispers: list[Whisper], original: Whisper, answer: Json) -> None:
    if answer.get("delete_original"):
        whispers.remove(original)
    else:
        original.text = answer.get("text", "")
        original.blocks = answer.get("blocks", [])


def _change(home: Installation, original: Message, answer: Json) -> None:
    blocks = answer.get("blocks", [])
    home.edit(original, answer.get("text", ""), home.bot.id, blocks=blocks)


async def arguments_of(request: web.Request) -> Json:
    """From the address, a form, or JSON."""
    arguments: Json = dict(request.query)
    if request.content_type == "application/json":
        arguments |= await request.json()
    elif request.method == "POST":
        arguments |= dict(await request.post())
    return arguments
