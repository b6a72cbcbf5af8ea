"""One byte string per JSON value, so that hashes of equal values are equal."""

import hashlib
import json


def canonical(value: object) -> bytes:
    """UTF-8 JSON with sorted keys and no spaces. Raises ValueError for what they cannot hold.

    That is NaN, infinity, lone surrogates, whole numbers of more than 4300 digits and nesting beyond Python's limit.
    """
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except RecursionError as error:
        raise ValueError("The value is nested too deeply.") from error
    return text.encode()


def digest(value: object) -> str:
    """SHA-256 of the canonical JSON, in hexadecimal."""
    return hashlib.sha256(canonical(value)).hexdigest()
