from configparser import ConfigParser
from pathlib import Path

from portal.management.demo.programs import SERVICES, Program, configuration, portal_programs


def read(*programs: Program) -> ConfigParser:
    parser = ConfigParser()
    parser.read_string(configuration(list(programs), Path("/run"), Path("/logs")))
    return parser


def test_what_dies_is_started_again_however_often() -> None:
    section = read(Program("redis", SERVICES, ["redis-server"]))["program:redis"]
    assert (section["autorestart"], section["startsecs"], int(section["startretries"]) > 100_000) == ("true", "1", True)


def test_awkward_paths_reach_the_program_as_they_are() -> None:
    section = read(Program("redis", SERVICES, ["/a b/100%/redis", 'say "hi"']))["program:redis"]
    assert section["command"] == '"/a b/100%/redis" "say \\"hi\\""'


def test_services_stop_after_the_portal() -> None:
    sections = read(Program("redis", SERVICES, ["redis-server"]), *portal_programs(8000))
    assert sections["group:portal"]["programs"] == "web,worker,beat,watch"
    assert int(sections["group:services"]["priority"]) < int(sections["group:portal"]["priority"])


def test_web_ends_its_streams_in_time() -> None:
    web = portal_programs(8000)[0]
    assert web.command[web.command.index("--timeout-graceful-shutdown") + 1] == "5"
    assert web.stop_seconds > 5
