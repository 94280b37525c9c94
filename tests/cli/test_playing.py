from tests.command_line import NO_TIER, CommandLine

QUITTER = """
ready()
for message in acts():
    sys.exit(3)
"""


def test_after_faults_it_is_said_how_to_look_into_them(arena: CommandLine) -> None:
    faulty = arena.script(QUITTER, "quits.py")
    bots = f"{faulty},{arena.bots('first')}"

    said = arena(
        "tournament", "donburiko", "--bots", bots, "--players", "2", "--deals", "1", *NO_TIER
    )

    lines = said.err.splitlines()
    assert "2 of 2 matches, 2 faults" in lines
    (way,) = (line for line in lines if line.startswith("faults of quits: arena "))
    logs = way.removeprefix("faults of quits: arena ").split()
    assert logs == ["logs", "quits", "--faults", "--home", str(arena.home)]
    assert "exited" in arena(*logs).out
