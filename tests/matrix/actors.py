"""Who calls: each person with a session and with a token of full right, and tokens that must open less or nothing."""

from dataclasses import dataclass
from enum import Enum

from tests.matrix.rows import Door, Need


class Person(Enum):
    OUTSIDER = "outsider"
    VIEWER = "viewer"
    AUTHOR = "author"
    OTHER = "other submitter"
    OWNER = "owner"
    ADMIN = "platform admin"


class Outcome(Enum):
    IN = "let in"
    SIGN_IN = "led to the sign-in"
    UNKNOWN = "401"
    FORBIDDEN = "403"
    NOT_FOUND = "404"


@dataclass(frozen=True)
class Actor:
    """`token`: which of the world's tokens it sends, "" for none. `rights`: as whom it may act with that token."""

    name: str
    session: Person | None = None
    token: str = ""
    rights: Person | None = None


ACTORS = (
    Actor("anonymous"),
    *(Actor(f"{person.value}, session", session=person) for person in Person),
    *(Actor(f"{person.value}, token", token=person.value, rights=person) for person in Person),
    Actor("an owner's viewer token", token="below", rights=Person.VIEWER),
    Actor("expired token", token="expired"),
    Actor("revoked token", token="revoked"),
    Actor("an owner's token of another tenant", token="foreign", rights=Person.OUTSIDER),
    Actor("junk token", token="junk"),
)

MAY = {
    Need.VIEWER: {Person.VIEWER, Person.AUTHOR, Person.OTHER, Person.OWNER, Person.ADMIN},
    Need.SUBMITTER: {Person.AUTHOR, Person.OTHER, Person.OWNER, Person.ADMIN},
    Need.AUTHOR: {Person.AUTHOR, Person.OWNER, Person.ADMIN},
}


def expected(door: Door, need: Need, actor: Actor) -> Outcome:
    if need is Need.ANYBODY:
        return Outcome.IN
    person = actor.rights if door is Door.REST else actor.session
    if person is None:
        return Outcome.UNKNOWN if door is Door.REST else Outcome.SIGN_IN
    if need is Need.SIGNED_IN:
        return Outcome.IN
    if need is Need.TOKEN_OWNER:
        return Outcome.IN if person is Person.AUTHOR else Outcome.NOT_FOUND
    if person is Person.OUTSIDER:
        return Outcome.NOT_FOUND
    return Outcome.IN if person in MAY[need] else Outcome.FORBIDDEN
