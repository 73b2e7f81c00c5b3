"""Discord on the loopback: REST and gateway, refusing what the real one refuses.

async with serving() as discord:
    bot = discord.bot("nimbus")
    home = discord.guild("acme", bot)
    ann = discord.person("Ann", home)
    general = home.channel("general")
    ...  # start the bot with discord.environment()
    await discord.connected()
    asked = await ann.says(general, "<@nimbus> Where is my order?")
    await discord.until(lambda: bot.own(general))
    discord.decide(faults.nth(1, Fate(after=faults.broken()), "POST channels/*/messages"))
    ...  # in the end it fails if the bot said what nobody may read (discord.checked)
"""
