"""Slack on the loopback: Web API and Socket Mode, refusing what the real one refuses.

async with serving() as slack:
    home = slack.workspace("acme")
    ann = home.person("Ann")
    channel = home.channel("general", ann)
    ...  # start the app with slack.environment()
    await slack.connected()
    asked = await ann.says(channel, "<@bot> Where is my order?")
    await slack.until(lambda: home.own(channel, asked.ts))
    slack.decide(faults.nth(1, Fate(after=faults.broken()), "chat.update"))
"""
