import pytest

from jobs.spec.text import bad_character, check_claim, check_image, check_quantity, check_title

PREFIXES = ("registry.internal/", "ghcr.io/team/", "docker.io/library/python")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("a\x00b", "U+0000 at position 2"),
        ("line\nbreak", "U+000A at position 5"),
        ("tab\there", "U+0009"),
        ("\x1b[31m", "U+001B at position 1"),
        ("right\u202eto left", "U+202E"),
        ("isolate\u2066", "U+2066"),
        ("mark\u200f", "U+200F"),
        ("separator\u2028", "U+2028"),
        ("half \ud800", "U+D800"),
        ("delete\x7f", "U+007F"),
        ("c1\x85", "U+0085"),
    ],
)
def test_characters_that_nobody_sees_are_named_with_their_place(text: str, named: str) -> None:
    assert named in bad_character(text)


@pytest.mark.parametrize("text", ["", "train.py --lr=1e-4", "größe 训练 🎶", "a\u200db"])
def test_ordinary_text_passes(text: str) -> None:
    assert bad_character(text) == ""


def test_several_lines_pass_where_they_are_asked_for() -> None:
    assert bad_character("one\n\ttwo", lines=True) == ""
    assert "U+0000" in bad_character("one\n\x00", lines=True)


@pytest.mark.parametrize("title", ["llama3-8b-finetune", "Llama 3, take 2 (größer)", "x" * 63])
def test_a_title_is_free_text(title: str) -> None:
    assert check_title(title) == ""


@pytest.mark.parametrize(
    ("title", "message"),
    [
        ("", "Give the job a name."),
        (" \u3000", "Give the job a name."),
        (None, "Give the job a name."),
        (17, "Give the job a name."),
        ("x" * 300, "Use at most 63 characters; this has 300."),
        ("a\x00", "Remove the invisible character U+0000 at position 2."),
    ],
)
def test_a_title_that_will_not_do_is_answered_with_what_would(title: object, message: str) -> None:
    assert check_title(title) == message


@pytest.mark.parametrize(
    "image",
    [
        "registry.internal/pytorch:2.3.0-cuda12.1",
        "registry.internal/team/a/b_c:latest",
        "ghcr.io/team/x@sha256:" + "a" * 64,
        "docker.io/library/python:3.11",
    ],
)
def test_images_of_allowed_places_pass(image: str) -> None:
    assert check_image(image, PREFIXES) == ""


@pytest.mark.parametrize(
    "image",
    [
        "registry.internal.example.org/pytorch:1",
        "registry.internal:5000/pytorch:1",
        "ghcr.io/teamwork/x:1",
        "ghcr.io/team:1",
        "docker.io/library/python-evil:3.11",
        "evil.example/registry.internal/pytorch:1",
        "pytorch:1",
    ],
)
def test_images_of_other_places_are_refused_with_the_allowed_ones(image: str) -> None:
    assert check_image(image, PREFIXES) == f"Choose an image from {', '.join(PREFIXES)}."


@pytest.mark.parametrize(
    "image",
    [
        "registry.internal/../pytorch:1",
        "registry.internal/PyTorch:1",
        "registry.internal/pytorch:1 && rm -rf /",
        "https://registry.internal/pytorch:1",
        "registry.internal//pytorch:1",
        "registry.internal/x:" + "1" * 600,
        "registry.internal/pytorch:1\n",
        "",
    ],
)
def test_what_is_no_image_is_refused(image: str) -> None:
    assert check_image(image, PREFIXES).startswith("Write an image as registry/name:tag")


def test_an_image_needs_a_tag_or_digest() -> None:
    assert check_image("registry.internal/pytorch", PREFIXES).startswith("Add a tag or digest")


def test_without_prefixes_no_image_is_allowed() -> None:
    assert "none is set up" in check_image("registry.internal/pytorch:1", ())


@pytest.mark.parametrize("claim", ["training-data", "a", "data.v2", "a" * 253])
def test_names_of_claims(claim: str) -> None:
    assert check_claim(claim) == ""


@pytest.mark.parametrize("claim", ["Data", "-a", "a-", "a..b", "a/b", "../a", "a" * 254, "a\n"])
def test_what_is_no_name_of_a_claim(claim: str) -> None:
    assert check_claim(claim) != ""


@pytest.mark.parametrize("amount", ["64Gi", "256Gi", "1", "2Ti", "1.5Gi", "1E"])
def test_amounts(amount: str) -> None:
    assert check_quantity(amount) == ""


@pytest.mark.parametrize(
    ("amount", "message"),
    [
        ("1e3", "without an exponent"),
        ("6E9Gi", "without an exponent"),
        ("0", "more than 0"),
        ("-4Gi", "not a quantity"),
        ("64 Gi", "not a quantity"),
        ("64gb", "not a quantity"),
        ("", "not a quantity"),
        ("9" * 20, "2^63-1"),
        ("NaN", "not a quantity"),
    ],
)
def test_what_is_no_amount(amount: str, message: str) -> None:
    assert message in check_quantity(amount)
