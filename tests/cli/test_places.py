import pytest
import typer

from arena.cli.places import Place, place_at
from arena.tournament.machine import Sharing, carries
from arena.tournament.settings import Settings
from tests.command_line import NO_TIER, CommandLine
from tests.tournament.cluster.test_members import Worker, answer, ready

CONTEXT = typer.Context(typer.main.get_command(typer.Typer(callback=lambda: None)))


@pytest.mark.parametrize("command", ["tournament donburiko", "compare one two"])
@pytest.mark.parametrize(
    "address", ["somewhere", "http://here:1", "tcp://here", "tcp://here:port", "tcp://a b:1\x1b[1m"]
)
def test_what_is_no_address_of_a_scheduler_is_refused(
    arena: CommandLine, command: str, address: str
) -> None:
    line = arena.refuses(*command.split(), "--on", address, *NO_TIER)

    assert line.startswith("arena: --on takes the address of a Dask scheduler, as in tcp://HOST:")


def test_here_as_many_matches_are_played_as_the_user_the_settings_or_the_machine_say() -> None:
    found = [
        place_at(CONTEXT, None, jobs, None, None, Settings(jobs=setting))
        for jobs, setting in ((3, 2), (None, 2), (None, None))
    ]

    assert [place.workers for place in found] == [3, 2, carries()]
    assert [place.most for place in found] == [3, 2, carries()]
    assert {place.cluster for place in found} == {None}


def test_matches_share_the_cores_of_this_machine_as_the_user_says() -> None:
    place = place_at(CONTEXT, None, None, carries(), 3, Settings())

    assert place.sharing == Sharing(cores_per_match=carries(), oversubscribe=3)
    assert place.workers == place.at_once == 3


def test_the_cores_of_a_cluster_are_no_affair_of_this_machine(arena: CommandLine) -> None:
    line = arena.refuses("tournament", "--on", "tcp://127.0.0.1:1", "--oversubscribe", "2")

    assert line.startswith("arena: with --on, every worker has one core and plays one match")


@pytest.mark.parametrize(("jobs", "workers"), [(None, 2), (1, 1), (9, 2)])
def test_on_a_cluster_as_many_as_there_are_workers_but_no_more_than_wanted(
    jobs: int | None, workers: int
) -> None:
    cluster, _ = ready(Worker("one", answer), Worker("two", answer))
    place = Place(jobs, cluster)

    assert (place.workers, place.at_once) == (workers, workers)
    assert place.most >= (jobs or 1000)
    assert place.executors == cluster.playing
