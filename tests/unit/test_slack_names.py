"""Names that Slack does not tell in time cost nothing but the names."""

from adapters.slack.outlet import SlackOutlet, furnished
from bot.platform import Said
from bot.settings import Timing
from memory.keys import PersonKey
from tests.slack_in_process import ClientInProcess, installation
from tests.unit.slack_scene import Scene, on_stage


@on_stage
async def test_who_is_not_named_in_time_is_somebody(scene: Scene) -> None:
    us = installation(scene.home)
    scene.line.travel = lambda: 2
    outlet = SlackOutlet([furnished(us, ClientInProcess(scene.line), lambda: 0)])
    said = Said(PersonKey("slack", us.team, scene.ann.id), "", f"Who is <@{scene.ann.id}>?")

    [told] = await outlet.complete({**scene.address, "workspace": us.team}, [said])

    assert (told.name, told.text) == ("somebody", "Who is @somebody?")
    assert scene.loop.time() < Timing().look / 1000
