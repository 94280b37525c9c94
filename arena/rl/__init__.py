"""Environments to learn the games in, for PettingZoo; they need the extra ``rl``.

Here a learner plays in one process, without the referee's clock, sandbox and records: what it
learns is then played by a bot, which is sent the same observations over the protocol. README.md in
this folder says what there is, and how observations and actions become numbers.
"""

try:
    import gymnasium
    import numpy as np
    import pettingzoo
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"arena.rl needs {missing.name}, which comes with arena's extra rl: "
        "pip install '.[rl]' in a checkout",
        name=missing.name,
    ) from None

del gymnasium, np, pettingzoo
