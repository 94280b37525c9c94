import pytest
import typer

from arena.cli.places import Place, place_at
from arena.tournament.executor import local
from arena.tournament.machine import carries
from arena.tournament.settings import Settings
from tests.command_line import NO_TIER, CommandLine
from tests.tournament.test_cluster import Worker, answer, ready

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
        place_at(CONTEXT, None, jobs, Settings(jobs=setting))
        for jobs, setting in ((3, 2), (None, 2), (None, None))
    ]

    assert [place.workers for place in found] == [3, 2, carries()]
    assert [place.most for place in found] == [3, 2, carries()]
    assert {place.executors for place in found} == {local}


@pytest.mark.parametrize(("jobs", "workers"), [(None, 2), (1, 1), (9, 2)])
def test_on_a_cluster_as_many_as_there_are_workers_but_no_more_than_wanted(
    jobs: int | None, workers: int
) -> None:
    cluster, _ = ready(Worker("one", answer), Worker("two", answer))
    place = Place(jobs, cluster)

    assert (place.workers, place.at_once) == (workers, workers)
    assert place.most >= (jobs or 1000)
    assert place.executors == cluster.playing
