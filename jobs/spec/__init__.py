"""From a template and somebody's values to a JobSpec. Pure: no database, no network, no clock.

`schema` says which forms may be published, `values` checks what was filled in, `render` puts the values into the
template's body. Nothing is ever substituted in text: placeholders are nodes of the parsed tree.
"""

from jobs.spec.canonical import canonical, digest
from jobs.spec.jobspec import ClaimVolume, JobSpec, MemoryVolume, PodSet, Volume
from jobs.spec.placeholders import check_placeholders, field_of
from jobs.spec.render import BadBody, Identity, render
from jobs.spec.schema import check_schema, example, ordered_properties
from jobs.spec.text import check_title
from jobs.spec.values import check_values

__all__ = [
    "BadBody",
    "ClaimVolume",
    "Identity",
    "JobSpec",
    "MemoryVolume",
    "PodSet",
    "Volume",
    "canonical",
    "check_placeholders",
    "check_schema",
    "check_title",
    "check_values",
    "digest",
    "example",
    "field_of",
    "ordered_properties",
    "render",
]
