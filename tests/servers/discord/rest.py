"""REST over HTTP: token, rate, effect; in that order, as the caller sees it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from aiohttp import web

from tests.servers.discord import applications, interactions, messages, places
from tests.servers.discord.calls import Call, Refused
from tests.servers.discord.faults import refusing, reply, too_many
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
    "POST interactions/{interaction}/{token}/callback": interactions.respond,
    "POST webhooks/{application}/{token}": interactions.follow_up,
    "GET webhooks/{application}/{token}/messages/@original": interactions.fetch,
    "PATCH webhooks/{application}/{token}/messages/@original": interactions.edit,
    "DELETE webhooks/{application}/{token}/messages/@original": interactions.delete,
    "GET webhooks/{application}/{token}/messages/{message}": interactions.fetch,
    "PATCH webhooks/{application}/{token}/messages/{message}": interactions.edit,
    "DELETE webhooks/{application}/{token}/messages/{message}": interactions.delete,
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


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as it comes in: "GET users/@me", and what goes with it."""

    address: str
    authorization: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: Json = field(default_factory=dict)
    items: list[Json] = field(default_factory=list)  # of a body that is a list
    files: dict[str, bytes] = field(default_factory=dict)


@dataclass
class RestApi(Exchange):
    """Everything under /api/v10/."""

    realm: Realm = field(kw_only=True)
    rates: Rates = field(kw_only=True)
    inspector: Inspector = field(kw_only=True)
    base_url: str = ""

    async def call(self, request: web.Request) -> web.StreamResponse:
        return await self.handle(await _sent(request), request)

    async def handle(self, sent: Sent, request: web.Request | None = None) -> web.StreamResponse:
        """Without a `request` no network lies between: a cut connection is the status 599."""
        route, path = _found(sent.address)
        app = self._app(sent.authorization, path)
        arguments = {**sent.query, **sent.body, **path}
        recorded = route.name if route else sent.address, arguments, app.id if app else ""

        def answer(one: Request) -> web.Response:
            if app is None and "token" in path:
                return _refused(one, Refused(10062 if "interaction" in path else 50027))
            if app is None:
                return _plain(one, 401, "401: Unauthorized")
            if route is None:
                return _plain(one, 404, "404: Not Found")
            call = Call(self.realm, app, path, sent.query, sent.body, sent.items, sent.files)
            return self._answer(one, route, call)

        return await self.under_fate(request, recorded, answer)

    def _answer(self, one: Request, route: Route, call: Call) -> web.Response:
        majors = (call.path.get(each) for each in ("channel", "guild", "token"))
        major = next((each for each in majors if each), "")
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
            return _refused(one, refused)

    def _app(self, authorization: str, path: Mapping[str, str]) -> Application | None:
        """Whose token it is; where an interaction's token stands in the address, whose that is."""
        if "token" in path:
            interaction = self.realm.interactions.get(path["token"])
            return interaction.app if interaction else None
        scheme, _, secret = authorization.partition(" ")
        apps = (each.app for each in self.realm.hubs.values())
        return next((each for each in apps if scheme == "Bot" and each.token == secret), None)


def _found(address: str) -> tuple[Route | None, Mapping[str, str]]:
    for route in TABLE:
        if hit := route.pattern.fullmatch(address):
            return route, hit.groupdict()
    return None, {}


def _refused(one: Request, refusal: Refused) -> web.Response:
    one.error = str(refusal.code)
    return refusing(refusal)


def _plain(one: Request, status: int, message: str) -> web.Response:
    one.error = message
    return reply({"message": message, "code": 0}, status)


async def _sent(request: web.Request) -> Sent:
    """Its body is JSON, or a form whose part "payload_json" is that and whose others are files."""
    address = f"{request.method} {request.match_info['address']}"
    sent = Sent(address, request.headers.get("Authorization", ""), dict(request.query))
    if request.content_type == "multipart/form-data":
        parts = await request.post()
        for part in parts.values():
            if isinstance(part, web.FileField):
                sent.files[part.filename] = part.file.read()
        sent.body.update(json.loads(str(parts["payload_json"])))
    elif request.can_read_body:
        body = await request.json()
        if isinstance(body, list):
            sent.items.extend(body)
        else:
            sent.body.update(body)
    return sent
