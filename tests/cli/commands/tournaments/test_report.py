from tests.helpers.command import call, right


def test_the_report_is_one_page_and_overwrites_nothing_else(store, tmp_path):
    assert right("report").out.strip() == "maxin-report.html"
    page = (tmp_path / "maxin-report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "checkpoint-001200" in page
    right("report")  # an older report is overwritten
    done = call("report", "maxin.db")
    assert (done.code, "a report must be a .html file" in done.err) == (2, True)
    assert not list(tmp_path.glob("*.part"))
    done = call("report", "nowhere/page.html")
    assert (done.code, "there is no folder 'nowhere'" in done.err) == (2, True)
