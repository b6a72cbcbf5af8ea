import pytest

from sandbox.canonical import canonical


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (4, "4"),
        ("0", "0"),
        ("1000m", "1"),
        ("0.5", "500m"),
        ("1.5", "1500m"),
        ("32000", "32k"),
        (1073741824, "1073741824"),
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("1000Ki", "1000Ki"),
        ("512", "512"),
        ("0.5Ki", "512"),
        ("2e3", "2e3"),
        ("1e4", "10e3"),
        ("-2", "-2"),
        ("1E", "1E"),
        ("100Gi", "100Gi"),
        ("much", "much"),
        (True, "True"),
    ],
    ids=repr,
)
def test_canonical(text, expected):
    assert canonical(text) == expected
