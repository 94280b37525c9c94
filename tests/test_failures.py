"""How runners of this kind have failed, and the tests that it does not happen here.

A kind of failure stands for its siblings: every limit, every message, every way to end. Whoever
finds a new one adds a row, and the test; whoever renames a test finds its row here.
"""

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

TESTS = Path(__file__).parent


class Failure(NamedTuple):
    """A kind of failure."""

    what: str
    tests: tuple[str, ...]
    """Each a file, and a function in it."""


FAILURES: Mapping[int, Failure] = {
    1: Failure(
        "standard error fills up and blocks the bot, because nobody reads it",
        (
            "players/test_process.py::test_standard_error_is_drained_while_a_bot_thinks_and_kept_at_both_ends",
            "players/test_limits_held.py::test_of_standard_error_a_quarter_is_kept_from_the_beginning_and_the_rest_from_the_end",
            "cli/test_bots.py::test_a_bot_that_floods_its_log_is_accepted",
            "tournament/test_worst_bots.py::test_the_worst_bots_hurt_only_themselves",
        ),
    ),
    2: Failure(
        "behind a line that is too long the next one is taken for the answer",
        (
            "players/test_process.py::test_an_answer_behind_a_line_that_is_too_long_is_none",
            "players/test_process.py::test_a_line_of_exactly_the_cap_is_accepted",
            "wire/test_codec.py::test_a_line_has_at_most_64_kib",
        ),
    ),
    3: Failure(
        "a line without an end is kept until the memory is full",
        (
            "players/test_process.py::test_misbehaviour_is_named",
            "tournament/test_worst_bots.py::test_the_worst_bots_hurt_only_themselves",
        ),
    ),
    4: Failure(
        "half a line, then silence, and nobody learns what it was",
        (
            "players/test_process.py::test_what_began_a_late_line_is_kept",
            "players/test_process.py::test_misbehaviour_is_named",
            "referee/test_faults.py::test_a_fault_at_the_first_move_of_the_second_seat",
        ),
    ),
    5: Failure(
        "the last answer lacks its line feed, and its bot is gone",
        ("players/test_process.py::test_misbehaviour_is_named",),
    ),
    6: Failure(
        "a bot that never reads blocks whoever writes to it",
        (
            "players/test_process.py::test_a_bot_that_never_reads_cannot_block_the_referee",
            "players/test_process.py::test_a_bot_that_is_slow_to_read_gets_all_of_a_long_line",
        ),
    ),
    7: Failure(
        "a child keeps the output open, and its parent's exit goes unnoticed",
        (
            "players/test_process.py::test_a_child_that_keeps_the_output_open_does_not_hide_the_exit",
        ),
    ),
    8: Failure(
        "a grandchild in a session of its own outlives its bot",
        (
            "players/test_process.py::test_nothing_of_a_bot_is_left_after_it_is_stopped",
            "tournament/test_workers.py::test_orphans_of_bots_end_with_the_match_also_where_the_program_had_bots_before",
            "tournament/test_worst_bots.py::test_the_worst_bots_hurt_only_themselves",
        ),
    ),
    9: Failure(
        "writing to a bot that is gone ends the runner",
        (
            "referee/test_faults.py::test_a_bot_that_leaves_before_its_first_question_hurts_only_itself",
            "players/test_process.py::test_misbehaviour_is_named",
        ),
    ),
    10: Failure(
        "answers are sent ahead of their questions",
        (
            "players/test_process.py::test_what_a_bot_writes_unasked_is_taken_for_its_next_answer",
            "players/test_process.py::test_it_makes_no_difference_when_a_second_line_is_written",
            "referee/test_faults.py::test_a_second_line_is_told_in_the_same_words_whenever_it_is_written",
            "wire/test_codec.py::test_an_answer_that_is_no_answer_is_a_bad_message",
        ),
    ),
    11: Failure(
        "a late answer is taken for that to the next question",
        (
            "referee/test_faults.py::test_a_late_answer_is_no_answer_to_anything",
            "wire/test_codec.py::test_an_id_that_only_begins_like_the_one_asked_is_another",
        ),
    ),
    12: Failure(
        "a bot that does not flush is only said to be slow",
        (
            "players/test_process.py::test_misbehaviour_is_named",
            "protocol/test_sdk_python.py::test_each_answer_is_out_before_the_next_question_comes",
        ),
    ),
    13: Failure(
        "text for debugging on standard output, and no hint of it",
        (
            "referee/test_faults.py::test_whatever_goes_wrong_before_ready_is_start_failed",
            "referee/test_faults.py::test_a_fault_at_the_first_move_of_the_second_seat",
            "cli/test_bots.py::test_a_bot_that_fails_is_refused_with_the_end_of_its_log",
            "protocol/test_sdk_python.py::test_whatever_the_bot_prints_goes_to_its_log",
        ),
    ),
    14: Failure(
        "lines that end in CR LF, or in CR alone",
        (
            "wire/test_codec.py::test_an_object_is_read_as_json_has_it",
            "protocol/test_vectors.py::test_an_answer_gets_the_published_verdict",
            "wire/test_escape.py::test_lines_and_tabs_can_be_kept_but_a_carriage_return_cannot",
        ),
    ),
    15: Failure(
        "bytes that are not UTF-8 end the reader, or the log",
        (
            "wire/test_codec.py::test_a_line_that_two_readers_could_take_two_ways_is_refused",
            "referee/test_faults.py::test_what_a_bot_at_fault_wrote_is_kept_escaped",
        ),
    ),
    16: Failure(
        "numbers that are none, or infinite",
        (
            "wire/test_codec.py::test_a_line_that_two_readers_could_take_two_ways_is_refused",
            "wire/test_codec.py::test_a_whole_number_has_at_most_63_bits",
        ),
    ),
    17: Failure(
        "a key that stands twice",
        ("wire/test_codec.py::test_a_line_that_two_readers_could_take_two_ways_is_refused",),
    ),
    18: Failure(
        "nesting that exhausts the parser",
        (
            "wire/test_codec.py::test_nesting_ends_at_64",
            "wire/test_codec.py::test_no_line_takes_the_referee_long",
            "wire/test_fuzz.py::test_no_line_gets_more_out_of_the_codec_than_a_fault",
        ),
    ),
    19: Failure(
        "true, 1.0 and '1' pass for 1",
        (
            "wire/test_codec.py::test_another_value_or_type_is_another_action",
            "wire/test_codec.py::test_the_id_true_does_not_pass_for_1",
            "wire/test_codec.py::test_a_near_miss_is_never_taken_for_a_legal_action",
        ),
    ),
    20: Failure(
        "the start of an interpreter counts as thinking",
        (
            "referee/test_faults.py::test_a_slow_start_is_not_charged_to_the_first_move",
            "tournament/test_trial.py::test_time_to_start_is_no_time_to_move",
        ),
    ),
    21: Failure(
        "a first move that takes longer has no time for it",
        ("referee/test_faults.py::test_extra_time_is_used_up_across_moves",),
    ),
    22: Failure(
        "more matches than cores, and bots lose on time that they never had",
        (
            "cli/test_options.py::test_there_are_as_many_workers_as_cores_unless_the_user_says",
            "tournament/test_workers.py::test_each_worker_is_pinned_to_a_core_of_its_own",
            "players/test_process.py::test_processor_time_is_counted",
            "players/test_fair_clock.py::test_a_bot_that_has_to_share_its_core_gets_all_of_its_time",
            "players/test_fair_clock.py::test_a_bot_that_takes_too_long_is_charged_also_in_a_crowd",
            "players/test_fair_clock.py::test_a_bot_cannot_buy_time_by_getting_in_its_own_way",
        ),
    ),
    23: Failure(
        "the clock is looked at when the bot has answered",
        ("players/test_process.py::test_misbehaviour_is_named",),
    ),
    24: Failure(
        "there is a mode in which a limit does not hold",
        (
            "players/test_limits_held.py::test_a_bot_that_stays_below_a_limit_plays_on",
            "players/test_limits_held.py::test_a_bot_that_goes_beyond_a_limit_is_at_fault",
            "players/test_limits_held.py::test_every_limit_has_a_case",
        ),
    ),
    25: Failure(
        "milliseconds get lost in rounding",
        (
            "cli/test_limits.py::test_a_move_may_have_five_milliseconds",
            "referee/test_limits.py::test_a_record_has_whole_numbers_within_bounds",
        ),
    ),
    26: Failure(
        "what time is left is counted in two ways",
        (
            "referee/test_faults.py::test_extra_time_is_used_up_across_moves",
            "referee/test_play.py::test_a_conversation_reads_as_the_protocol_says",
            "players/test_limits_held.py::test_a_bot_that_goes_beyond_a_limit_is_at_fault",
        ),
    ),
    27: Failure(
        "no debugger can be used, since the clock runs on",
        (
            "cli/test_limits.py::test_without_limits_a_match_is_unrated_and_says_what_to_attach_to",
            "referee/test_play.py::test_without_limits_no_clock_runs_and_the_usual_times_are_told",
            "players/test_limits_held.py::test_without_limits_a_bot_goes_beyond_all_of_them",
        ),
    ),
    28: Failure(
        "bots outlive a runner that is interrupted or killed",
        (
            "tournament/test_kill.py::test_asked_to_stop_a_tournament_finishes_what_is_in_play_and_can_go_on",
            "tournament/test_kill.py::test_asked_twice_it_ends_at_once",
            "tournament/test_kill.py::test_a_killed_runner_leaves_not_even_bots_that_hear_nothing",
            "tournament/test_kill.py::test_sandboxed_bots_do_not_outlive_their_runner",
            "tournament/test_workers.py::test_a_worker_that_is_killed_takes_its_bots_along",
        ),
    ),
    29: Failure(
        "a bot that ignores SIGTERM is waited for without end",
        (
            "players/test_process.py::test_nothing_of_a_bot_is_left_after_it_is_stopped",
            "tournament/test_kill.py::test_asked_twice_it_ends_at_once",
            "tournament/test_worst_bots.py::test_the_worst_bots_hurt_only_themselves",
        ),
    ),
    30: Failure(
        "a bot fails at its start, and nobody says how",
        (
            "cli/test_bots.py::test_a_bot_that_fails_is_refused_with_the_end_of_its_log",
            "cli/test_bots.py::test_a_program_that_cannot_be_started_is_refused",
            "players/test_process.py::test_a_program_that_may_not_be_executed_fails_at_its_first_question",
            "players/test_process.py::test_a_program_that_is_not_there_fails_at_its_first_question",
        ),
    ),
    31: Failure(
        "a broken installation produces results",
        (
            "cli/test_tournament.py::test_a_bot_that_does_not_start_is_refused_before_anything_is_kept",
            "tournament/test_runner.py::test_a_bot_that_cannot_be_laid_out_any_more_is_a_mistake_of_the_user",
            "players/test_bundle.py::test_a_program_whose_interpreter_is_missing_is_known_before_it_is_started",
        ),
    ),
    32: Failure(
        "one bot stops a whole tournament",
        (
            "tournament/test_runner.py::test_a_bot_that_always_crashes_loses_its_matches_and_stops_nothing",
            "tournament/test_worst_bots.py::test_the_worst_bots_hurt_only_themselves",
        ),
    ),
    33: Failure(
        "the rival of a bot that crashed is killed, or never told",
        ("referee/test_faults.py::test_the_others_are_told_of_the_fault_and_of_the_end",),
    ),
    34: Failure(
        "a bot forks without end, and everything stands still",
        (
            "tournament/test_worst_bots.py::test_the_worst_bots_hurt_only_themselves",
            "players/test_limits_held.py::test_a_bot_that_goes_beyond_a_limit_is_at_fault",
        ),
    ),
    35: Failure(
        "a bot takes all memory, and others die of it",
        (
            "tournament/test_worst_bots.py::test_the_worst_bots_hurt_only_themselves",
            "players/test_process.py::test_misbehaviour_is_named",
            "referee/test_faults.py::test_a_fault_at_the_first_move_of_the_second_seat",
        ),
    ),
    36: Failure(
        "a bot remembers the match before",
        (
            "tournament/test_memory_of_bots.py::test_a_bot_that_keeps_notes_plays_as_if_it_had_none",
            "tournament/test_match.py::test_one_bot_in_several_seats_is_several_processes",
            "tournament/test_match.py::test_a_match_that_is_played_again_is_the_same",
        ),
    ),
    37: Failure(
        "two bots have one name, or nearly",
        (
            "cli/test_bots.py::test_the_same_content_again_changes_nothing_and_says_so",
            "cli/test_bots.py::test_other_content_is_the_next_version",
            "cli/test_bots.py::test_a_name_that_differs_only_in_case_from_a_taken_one_is_refused",
            "players/test_names.py::test_anything_else_is_refused",
            "tournament/test_entrants.py::test_two_bots_with_one_name_are_refused",
        ),
    ),
    38: Failure(
        "spaces and quotes in a path reach a shell",
        (
            "cli/test_bots.py::test_a_path_may_have_any_characters",
            "players/test_files.py::test_names_and_paths_can_be_as_long_as_file_systems_have_them",
        ),
    ),
    39: Failure(
        "a bot's file is changed once it has been accepted",
        (
            "cli/test_bots.py::test_the_snapshot_is_kept_and_the_file_no_longer_matters",
            "tournament/test_runner.py::test_what_plays_is_the_snapshot_also_when_its_files_were_changed",
            "players/test_bundle.py::test_a_file_too_many_or_too_few_is_noticed",
        ),
    ),
    40: Failure(
        "going on after a stop repeats, drops or renumbers matches",
        (
            "tournament/test_kill.py::test_a_killed_tournament_ends_as_an_undisturbed_one",
            "tournament/test_kill.py::test_a_tournament_killed_a_hundred_times_ends_as_an_undisturbed_one",
        ),
    ),
    41: Failure(
        "a match that was announced is lost in a crash",
        (
            "store/test_db.py::test_a_match_that_was_announced_outlives_the_process_that_is_killed",
            "tournament/test_runner.py::test_every_match_is_stored_before_it_is_told",
        ),
    ),
    42: Failure(
        "a full disk damages what was kept",
        (
            "tournament/test_runner.py::test_a_full_disk_ends_the_run_and_what_was_stored_is_kept",
            "store/test_db.py::test_a_full_disk_is_a_fault_of_the_host_and_the_file_stays_good",
        ),
    ),
    43: Failure(
        "bots that are slow to start make the runner begin too many matches",
        ("tournament/test_workers.py::test_never_more_matches_live_than_there_are_workers",),
    ),
    44: Failure(
        "what a bot wrote breaks the record of its match",
        (
            "tournament/test_match.py::test_whatever_a_bot_answers_its_record_is_one_line_that_can_be_read",
            "referee/test_replay.py::test_a_record_survives_its_own_encoding",
            "protocol/test_schemas.py::test_a_record_fits_the_schema",
        ),
    ),
    45: Failure(
        "a record says that there was a fault, and not which",
        (
            "tournament/test_match.py::test_a_record_says_of_each_fault_what_and_why_with_the_end_of_the_log",
            "referee/test_faults.py::test_a_bot_at_fault_is_told_why",
            "cli/test_match.py::test_a_bot_at_fault_is_shown_with_the_end_of_its_log",
        ),
    ),
    46: Failure(
        "ratings depend on the order of matches",
        (
            "ratings/test_order.py::test_any_order_of_records_gives_the_same_leaderboard",
            "ratings/test_order.py::test_any_order_of_records_gives_the_same_overall_table",
        ),
    ),
    47: Failure(
        "ratings drift although bots do not change",
        (
            "ratings/test_batch.py::test_bots_do_not_change_so_certainty_grows_with_every_match",
            "store/test_bots.py::test_what_was_changed_between_tournaments_is_several_players",
        ),
    ),
    48: Failure(
        "a winner loses points",
        ("ratings/test_batch.py::test_another_win_never_costs_the_winner_anything",),
    ),
    49: Failure(
        "a table shows other figures than the page beside it",
        (
            "tournament/test_leaderboards.py::test_what_is_kept_makes_no_difference",
            "tournament/test_leaderboards.py::test_another_match_makes_it_all_stale",
        ),
    ),
    50: Failure(
        "updates of many players go out of range",
        (
            "ratings/test_trueskill.py::test_no_result_is_an_error_however_far_the_ratings_are_apart",
            "ratings/test_calibration.py::test_rank_intervals_hold_the_true_rank_as_often_as_they_promise",
        ),
    ),
    51: Failure(
        "equal bots come out unequal, by other deals or other rivals",
        (
            "tournament/test_mirror.py::test_a_bot_that_repeats_itself_is_equal_to_itself_on_every_deal",
            "ratings/test_calibration.py::test_bots_of_the_same_skill_share_their_ranks",
        ),
    ),
    52: Failure(
        "a tournament comes out otherwise when it is repeated, or with more workers",
        (
            "tournament/test_runner.py::test_a_tournament_is_the_same_whenever_it_is_played_and_by_however_many_workers",
        ),
    ),
    53: Failure(
        "what the machine did is taken for what a bot did",
        (
            "tournament/test_host_faults.py::test_a_bot_that_needs_two_fifths_of_its_time_has_it_with_four_matches_a_core",
            "tournament/test_host_faults.py::test_a_bot_that_sleeps_over_its_time_is_charged_each_time_also_then",
            "tournament/test_host_faults.py::test_nobody_is_charged_for_a_runner_that_was_stopped_in_the_midst_of_questions",
        ),
    ),
    54: Failure(
        "a bot imports its rivals",
        (
            "players/test_neighbours.py::test_a_bot_sees_its_own_files_and_not_those_of_a_rival",
        ),
    ),
    55: Failure(
        "the seed of the cards is somewhere where a bot can read it",
        (
            "players/test_neighbours.py::test_what_surrounds_a_bot_does_not_depend_on_the_cards",
            "referee/test_hidden_information.py::test_every_line_is_the_same_in_another_world",
            "players/test_process.py::test_the_environment_of_a_bot_holds_nothing_of_ours",
            "players/test_process.py::test_a_bot_inherits_three_descriptors_and_no_more",
        ),
    ),
    56: Failure(
        "the list of legal actions tells of hidden cards",
        (
            "referee/test_hidden_information.py::test_every_line_is_the_same_in_another_world",
            "referee/test_hidden_information.py::test_a_leak_in_any_channel_would_be_found",
        ),
    ),
    57: Failure(
        "a bot reads the memory of another, stops it, or speaks for it",
        (
            "players/test_neighbours.py::test_a_bot_cannot_read_stop_or_speak_for_a_rival",
            "cli/test_leaderboard.py::test_there_is_a_table_for_each_category_and_one_legend",
        ),
    ),
    58: Failure(
        "a bot asks somebody outside",
        ("players/test_neighbours.py::test_a_bot_reaches_nobody_outside",),
    ),
}  # fmt: skip
"""By number. That what is declared is tested (59) is a matter of `.ci/run`."""


def functions(path: Path) -> set[str]:
    """Return the names of the tests in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=map(str, FAILURES))
def test_a_known_kind_of_failure_has_its_tests(failure: Failure) -> None:
    named = [test.partition("::") for test in failure.tests]

    missing = [(file, name) for file, _, name in named if name not in functions(TESTS / file)]

    assert failure.tests
    assert missing == []


def test_no_kind_of_failure_is_left_out() -> None:
    assert FAILURES.keys() == {*range(1, 59)}
