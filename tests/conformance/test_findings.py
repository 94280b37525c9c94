from arena.conformance.findings import Check, Finding, Report, Severity, merged

FAULT, WARNING, TIP = Severity


def test_what_is_found_in_several_matches_is_one_finding() -> None:
    found = merged(
        [
            Finding("donburiko", FAULT, "not JSON: 'a1'", where="first"),
            Finding("donburiko", FAULT, "not JSON: 'b2'", where="second"),
            Finding("couperation", FAULT, "not JSON: 'a1'"),
            Finding("donburiko", FAULT, "exited"),
        ]
    )

    assert [(it.check, it.text, it.times) for it in found] == [
        ("donburiko", "not JSON: 'a1'", 2),
        ("couperation", "not JSON: 'a1'", 1),
        ("donburiko", "exited", 1),
    ]
    assert found[0].where == "first"


def test_a_check_is_as_bad_as_its_worst_finding() -> None:
    tip, fault = Finding("it", TIP, "a"), Finding("it", FAULT, "b")

    assert Check("it", "").verdict == "ok"
    assert Check("it", "", (tip,)).verdict == "tip"
    assert Check("it", "", (tip, fault)).verdict == "fault"
    assert Check("it", "", skipped=True).verdict == "skipped"


def test_a_report_has_the_worst_findings_first() -> None:
    tip, fault, other = (
        Finding("a", TIP, "1"),
        Finding("b", FAULT, "2"),
        Finding("a", WARNING, "3"),
    )
    report = Report("bot", (Check("a", "", (tip, other)), Check("b", "", (fault,))))

    assert report.findings == (fault, other, tip)
    assert [report.count(it) for it in Severity] == [1, 1, 1]
