"""What the site makes of its pages beside what Zensical does."""

from tests.support.guide.site import loaded_from_elsewhere, of_missing_page, with_pictures_to_open


def test_a_picture_opens_in_full_and_a_link_stays_what_it_is() -> None:
    page = "See [Methods](methods.md).\n\n![Overview](pictures/overview.png)\n"
    shown = "See [Methods](methods.md).\n\n[![Overview](pictures/overview.png)](pictures/overview.png)\n"
    assert with_pictures_to_open(page) == shown


def test_links_of_the_page_for_missing_ones_lead_into_the_guide_from_any_address() -> None:
    page = (
        '<a href="/experts.html">x</a><img src="/icon.svg"><a href="//x.org">y</a>{"base":"/"}<h1>404 - Not found</h1>'
    )
    shown = of_missing_page(page)
    assert '<a href="/guide/experts.html">x</a><img src="/guide/icon.svg"><a href="//x.org">' in shown
    assert '{"base":"/guide/"}<h1>There is no such page</h1>' in shown


def test_what_a_page_would_load_from_elsewhere_is_found_and_a_link_is_none() -> None:
    page = '<script src="https://x.org/a.js"></script><a href="https://y.org/">y</a><img src="pictures/a.png">'
    assert loaded_from_elsewhere(page) == ["https://x.org/a.js"]
