"""REST over HTTP: token, rate, effect; in that order, as the caller sees it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from aiohttp import web

from tests.servers.discord import applications, messages, places
from tests.servers.discord.calls import Call, Refused
from tests.servers.discord.faults import reply, too_many
from tests.servers.discord.inspection import look
from tests.servers.discord.rates import Rates
from tests.servers.discord.realm import Realm
from tests.servers.discord.world import Application, Json
from tests.servers.exchange import Exchange
from tests.servers.faults import Request
from tests.servers.inspection import Inspector

Answer = Json | list[Json] | None
Handler = Callable[[Call], Answer]

ROUTES: Mapping[str, Handler] = {
    "GET users/@me": applications.whoami,
    "GET users/{user}": places.user,
    "POST users/@me/channels": places.open_direct,
    "GET oauth2/applications/@me": applications.application,
    "GET applications/@me": applications.application,
    "GET gateway": applications.gateway,
    "GET gateway/bot": applications.gateway_of_bot,
    "GET applications/{application}/commands": applications.commands,
    "PUT applications/{application}/commands": applications.put_commands,
    "GET applications/{application}/guilds/{guild}/commands": applications.commands,
    "PUT applications/{application}/guilds/{guild}/commands": applications.put_commands,
    "GET channels/{channel}": places.channel,
    "PATCH channels/{channel}": places.change_channel,
    "POST channels/{channel}/typing": messages.show_typing,
    "POST channels/{channel}/messages": messages.create,
    "GET channels/{channel}/messages": messages.history,
    "GET channels/{channel}/messages/{message}": messages.fetch,
    "PATCH channels/{channel}/messages/{message}": messages.edit,
    "DELETE channels/{channel}/messages/{message}": messages.delete,
    "POST channels/{channel}/messages/{message}/threads": places.thread_from_message,
    "POST channels/{channel}/threads": places.thread,
    "PUT channels/{channel}/thread-members/@me": places.join_thread,
    "GET guilds/{guild}": places.guild,
    "GET guilds/{guild}/channels": places.guild_channels,
    "GET guilds/{guild}/roles": places.roles,
    "GET guilds/{guild}/threads/active": places.active_threads,
    "GET guilds/{guild}/members/{user}": places.member,
}


@dataclass(frozen=True, slots=True)
class Route:
    """`name` has a star for each id."""

    name: str
    pattern: re.Pattern[str]
    handler: Handler

    @classmethod
    def of(cls, template: str, handler: Handler) -> Route:
        pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", template)
        return cls(re.sub(r"\{\w+\}", "*", template), re.compile(pattern), handler)


TABLE: Sequence[Route] = [Route.of(*each) for each in ROUTES.items()]


@dataclass
class RestApi(Exchange):
    """Everything under /api/v10/."""

    realm: Realm = field(kw_only=True)
    rates: Rates = field(kw_only=True)
    inspector: Inspector = field(kw_only=True)
    base_url: str = ""

    async def call(self, request: web.Request) -> web.StreamResponse:
        address = f"{request.method} {request.match_info['address']}"
        token = request.headers.get("Authorization", "")
        found = ((each, each.pattern.fullmatch(address)) for each in TABLE)
        route, path = next(((each, hit.groupdict()) for each, hit in found if hit), (None, {}))
        body, items, files = await _body_of(request)
        app = self._app(token)
        recorded = route.name if route else address, {**request.query, **body, **path}, ""
        recorded = (*recorded[:2], app.id if app else "")

        def answer(one: Request) -> web.Response:
            if app is None:
                return _plain(one, 401, "401: Unauthorized")
            if route is None:
                return _plain(one, 404, "404: Not Found")
            call = Call(self.realm, app, path, dict(request.query), body, items, files)
            return self._answer(one, route, call)

        return await self.under_fate(request, recorded, answer)

    def _answer(self, one: Request, route: Route, call: Call) -> web.Response:
        major = call.path.get("channel") or call.path.get("guild") or ""
        taken = self.rates.take(route.name, call.app.id, major)
        if taken.wait:
            one.error = "ratelimited"
            response = too_many(taken.wait, taken.scope)
        else:
            response = self._effect(one, route, call)
        response.headers.update(taken.headers)
        return response

    def _effect(self, one: Request, route: Route, call: Call) -> web.Response:
        look(self.inspector, route.name, call.body)
        try:
            return reply(route.handler(call))
        except Refused as refused:
            one.error = str(refused.code)
            response = reply(refused.body, refused.status)
            if refused.status == 429:
                response.headers["Via"] = "1.1 google"
            return response

    def _app(self, token: str) -> Application | None:
        scheme, _, secret = token.partition(" ")
        apps = (each.app for each in self.realm.hubs.values())
        return next((each for each in apps if scheme == "Bot" and each.token == secret), None)


def _plain(one: Request, status: int, message: str) -> web.Response:
    one.error = message
    return reply({"message": message, "code": 0}, status)


async def _body_of(request: web.Request) -> tuple[Json, list[Json], Mapping[str, bytes]]:
    """JSON, or a form whose part "payload_json" is that and whose other parts are files."""
    if request.content_type == "multipart/form-data":
        parts = await request.post()
        files = {
            part.filename: part.file.read()
            for part in parts.values()
            if isinstance(part, web.FileField)
        }
        return json.loads(str(parts["payload_json"])), [], files
    body = await request.json() if request.can_read_body else {}
    return ({}, body, {}) if isinstance(body, list) else (body, [], {})
