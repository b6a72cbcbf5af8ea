"""The table as people read it: `python -m jobs.policy.document > docs/policy.md`."""

import json

from jobs.policy.rule import Rule, Verdict
from jobs.policy.table import table

_HEAD = """\
# What a job may hold

Made from the table in `jobs/policy/table.py` by `python -m jobs.policy.document > docs/policy.md`; a test compares.
It is applied to every custom resource before it is stored and sent. `[]` stands for any entry of a list, `a|b` for
either name. **allow**: may be there; **require**: must be there; **force**: is written by Choirmaster, whatever a
template says. A field that is not in the table is refused. Besides, a replica has exactly one container, its requests
equal its limits, and its shared memory fits into its memory limit.

| field | verdict | value | why |
|---|---|---|---|
"""


def document() -> str:
    return _HEAD + "".join(_row(rule) for rule in table(()))


def _row(rule: Rule) -> str:
    value = f"`{json.dumps(rule.value)}`" if rule.verdict is Verdict.FORCE else ""
    return f"| `{str(rule).replace('|', chr(92) + '|')}` | {rule.verdict} | {value} | {rule.why} |\n"


if __name__ == "__main__":
    print(document(), end="")
