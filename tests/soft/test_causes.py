# SPDX-License-Identifier: BSD-2-Clause
# Copyright (c) 2026 The verbench developers
"""The failures that people meet first, as far as a device can make them: each is provoked by a profile, a fault of the
link or a limit, and the message has the commands of its row in src/base/causes/remedy.def.
tests/lab/test_first_contact.py has those that need the kernel."""

import json
import os
import re
import shutil
import socket
from pathlib import Path
from typing import Mapping, Sequence

import pytest

from harness.causes import commands, has_commands
from harness.emulated import Hca
from harness.profiles import profile_file, profile_like

# profiles of these tests: another one, and what differs
OWN = {
    "init": ("connectx-ib", {"port_state": "init"}),
    "ib-down": ("connectx-ib", {"port_state": "down"}),
    "lidless": ("connectx-ib", {"lid": "0"}),
    "down": ("bnxt_re", {"port_state": "down"}),
    "empty": ("rxe", {"gid": "none"}),
    "v1": ("rxe", {"gid": "roce_v1 {ip4}"}),
    "addressless": ("siw", {"port_state": "init"}),
}


def profile(hca: Hca, name: str) -> Path:
    """The file of a profile, or of one of these tests."""
    if name not in OWN:
        return profile_file(name)
    like, settings = OWN[name]
    return profile_like(hca.folder / f"{name}.conf", like, **settings)


def fails(hca: Hca, cause: str, server: str, client: str, options: str, env: Mapping[str, object] = {},
          by: Sequence[str] = ()) -> None:
    """A test between two profiles fails, and its message has the commands. env and by (a command): of the client."""
    _, port = hca.serve(env={"SOFTHCA_PROFILE": profile(hca, server)})
    ended = hca.run([*by, hca.program("verbench"), "send_bw", *options.split(), "-p", port, "127.0.0.1"],
                    {"SOFTHCA_PROFILE": profile(hca, client), **env})
    assert ended.status in (1, 2), ended
    assert has_commands(cause, ended.err), ended


@pytest.mark.parametrize("cause, server, client, options", [
    ("NO_SM", "connectx-ib", "init", ""),
    ("NO_SM", "connectx-ib", "init", "-d softhca0 -i 1"),
    ("NO_SM", "lidless", "connectx-ib", ""),
    ("PORT_DOWN", "bnxt_re", "down", ""),
    ("NO_GID", "siw", "addressless", "-R"),
    ("NO_GID", "siw", "addressless", "-R -d softhca0 -i 1"),
    ("NO_GID", "rxe", "empty", ""),
    ("GID_PAIR", "rxe", "v1", ""),
    ("MTU", "bnxt_re", "bnxt_re", "-m 4096"),
    ("NO_PKEY", "connectx-ib", "connectx-ib", "--pkey 0x8123"),
    ("IWARP", "siw", "siw", ""),
])
def test_the_device_is_not_ready(hca: Hca, cause: str, server: str, client: str, options: str) -> None:
    fails(hca, cause, server, client, options)


@pytest.mark.parametrize("cause, options", [
    ("PORT_DOWN", "-d softhca1"), ("PORT_DOWN", "-d softhca1 -i 1"), ("NO_SM", "-d softhca0"), ("NO_SM", "")])
def test_the_ports_that_are_asked_for_decide(hca: Hca, cause: str, options: str) -> None:
    """The first device is in INIT, the second one is down."""
    fails(hca, cause, "bnxt_re", "init", options,
          {"SOFTHCA_DEVICES": 2, "SOFTHCA_PROFILE_1": profile(hca, "down")})


@pytest.mark.parametrize("cause, status", [("NO_ACK_EMULATED", "RETRY_EXC_ERR"), ("NO_RECEIVE", "RNR_RETRY_EXC_ERR")])
def test_the_peer_does_not_answer(hca: Hca, cause: str, status: str) -> None:
    fails(hca, cause, "connectx-ib", "connectx-ib", "-n 100", {"SOFTHCA_FAULTS": f"wc:{status}@50"})


def test_queues_are_above_the_limit_of_memory(hca: Hca) -> None:
    """The kernel counts nothing for a process with the capability, nor does a profile."""
    limited = ["prlimit", "--memlock=4096:4096"]
    if os.geteuid() == 0:
        limited += ["setpriv", "--inh-caps", "-ipc_lock", "--bounding-set", "-ipc_lock"]
    fails(hca, "MEMLOCK", "connectx-ib", "connectx-ib", "", by=limited)


def test_the_command_of_the_message_lets_the_client_in(hca: Hca) -> None:
    """A server that serves its own host only is asked at another address of this host."""
    server, port = hca.serve()
    client = [hca.program("vb_write_bw"), "-n", 10, "-p", port, "127.0.0.2"]
    refused = hca.run([*client, "--connect-timeout", "300ms"])
    assert refused.status == 1
    assert has_commands("NO_SERVER", refused.err), refused
    server.stop()
    command = re.search(r': "verbench ([^"]*)"$', refused.err, re.MULTILINE)
    assert command, refused
    hca.start([hca.program("verbench"), *command[1].split()]).until_listens(port)
    served = hca.run(client)
    assert served.status == 0, served


@pytest.mark.parametrize("program", ["verbench serve", "vb_send_bw", "perftest/ib_send_bw"])
@pytest.mark.parametrize("cause, of, options, link", [
    ("PORT_DOWN", "down", "", ""),
    ("NO_SM", "init", "-d softhca0 -i 1", ""),
    ("EMULATED", "bnxt_re", "", "nothing"),
])
def test_a_server_that_cannot_serve_ends(hca: Hca, program: str, cause: str, of: str, options: str, link: str) -> None:
    name, *command = program.split()
    ended = hca.run([hca.program(name), *command, "-p", hca.port(), *options.split()],
                    {"SOFTHCA_PROFILE": profile(hca, of), "SOFTHCA_LINK": link})
    assert ended.status == 1, ended
    assert has_commands(cause, ended.err), ended


@pytest.mark.parametrize("like, options, message", [
    ("bnxt_re", "-c DC", "-c (--transport) DC: "),
    ("bnxt_re", "-x 99", "GID index 99 of softhca0 port 1 holds no GID"),
    ("bnxt_re", "-m 4096", "-m (--mtu) 4096: the active MTU of softhca0 of "),
    ("bnxt_re", "--pin 4000", "--pin 4000: there is no cpu:4000"),
    ("connectx-ib", "--pkey 0x8123", "--pkey 0x8123: "),
    ("efa", "-c RC", "allowed: UD"),
    ("efa", "ib_write_bw", "allowed: UD"),
    ("bnxt_re", "--bind 127.0.0.1 --allow 192.0.2.0/24", "nobody from there reaches"),
])
def test_a_server_knows_at_its_start_what_no_client_can_have(hca: Hca, like: str, options: str, message: str) -> None:
    own = ["perftest/ib_write_bw"] if options.startswith("ib_") else ["verbench", "serve", *options.split()]
    ended = hca.run([hca.program(own[0]), *own[1:], "-p", hca.port()], {"SOFTHCA_PROFILE": profile_file(like)})
    assert ended.status in (1, 2) and message in ended.err, ended
    assert "waiting for a client" not in ended.err


@pytest.mark.parametrize("like", ["efa", "siw", "mana", "bnxt_re", "connectx-xdr"])
def test_a_server_starts_if_one_test_is_possible(hca: Hca, like: str) -> None:
    hca.serve(env={"SOFTHCA_PROFILE": profile_file(like)})


def test_hints_are_of_the_emulated_hca(hca: Hca) -> None:
    """Two names of a fabric: the peer is not there, and no firewall is in the way."""
    _, port = hca.serve(env={"SOFTHCA_FABRIC": "another"})
    ended = hca.run([hca.program("vb_write_bw"), "-n", 10, "-p", port, "127.0.0.1"])
    assert ended.status == 1, ended
    assert has_commands("NO_ACK_EMULATED", ended.err) and "4791" not in ended.err, ended


def test_another_program_is_on_the_port(hca: Hca) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ended = hca.run([hca.program("vb_write_bw"), "--connect-timeout", "300ms", "-p", port, "127.0.0.1"])
    assert ended.status == 1, ended
    assert f"'sport = :{port}'" in ended.err and has_commands("NO_HELLO", ended.err), ended


def test_another_program_greets(hca: Hca) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        client = hca.start([hca.program("vb_write_bw"), "-p", other.getsockname()[1], "127.0.0.1"])
        with other.accept()[0] as connection:
            connection.sendall(b"SSH-2.0-OpenSSH")
            ended = client.wait()
    assert ended.status == 1 and 'is another program, not verbench' in ended.err and '"SSH-"' in ended.err, ended


def test_a_server_takes_no_clients_from_this_host(hca: Hca) -> None:
    _, port = hca.serve("--allow", "10.1.0.0/16")
    ended = hca.run([hca.program("vb_write_bw"), "-p", port, "127.0.0.1"])
    assert ended.status == 1 and has_commands("NOT_TAKEN", ended.err), ended


@pytest.mark.parametrize("command", ["check", "serve", "write_bw"])
@pytest.mark.parametrize("variable", ["HWLOC_XMLFILE", "HWLOC_FSROOT", "HWLOC_SYNTHETIC"])
def test_a_machine_that_is_none_is_refused(hca: Hca, command: str, variable: str) -> None:
    ended = hca.run([hca.program("verbench"), command], {variable: "/nowhere"})
    assert ended.status == 1 and variable in ended.err and "/nowhere" in ended.err, ended


def test_list_has_the_commands_if_the_link_is_no_link(hca: Hca) -> None:
    ended = hca.run([hca.program("verbench"), "list", "--soft"], {"SOFTHCA_LINK": "nothing"}, preload=False)
    assert has_commands("EMULATED", ended.out), ended.out


def test_a_server_waits_for_its_port(hca: Hca) -> None:
    port, own = hca.port(), profile(hca, "down")
    env = {"SOFTHCA_PROFILE": own}
    server = hca.start([hca.program("verbench"), "serve", "-p", port, "--wait-device", "1h"], env)
    server.until_says("--wait-device")
    assert re.search("no active port of any device.*--wait-device", server.out + server.err)
    assert "waiting for a client" not in server.out + server.err
    # the server must not read half of it
    up = profile_like(hca.folder / "up.conf", "bnxt_re")
    up.replace(own)
    server.until_says("waiting for a client")
    client = hca.run([hca.program("vb_send_bw"), "-n", 100, "-p", port, "127.0.0.1"], env)
    assert client.status == 0, client
    assert server.stop().status == 0


def test_a_server_that_waits_for_its_port_is_stopped(hca: Hca) -> None:
    server = hca.start([hca.program("verbench"), "serve", "-p", hca.port(), "--wait-device", "1h"],
                       {"SOFTHCA_PROFILE": profile(hca, "down")})
    server.until_says("--wait-device")
    assert server.stop().status == 0


@pytest.mark.parametrize("cause, of, text", [
    ("NO_SM", "init", "initializing (waits for a subnet manager)"),
    ("NO_GID", "addressless", "initializing (its network interface has no address)"),
])
def test_check_says_what_a_port_waits_for(hca: Hca, cause: str, of: str, text: str) -> None:
    file = hca.folder / "check.json"
    ended = hca.run([hca.program("verbench"), "check", "--json", file], {"SOFTHCA_PROFILE": profile(hca, of)})
    assert text in " ".join(ended.out.split()), ended.out
    problems = json.loads(file.read_text())["problems"]
    assert [problem["remedy"] for problem in problems if problem["code"] == "no_active_port"] == [
        "; remedy: ".join(commands(cause))], problems


def test_a_port_that_cannot_be_asked_hides_nothing(hca: Hca) -> None:
    """It hides neither its device nor the next port."""
    file, says = hca.folder / "check.json", "cannot query port 1 of softhca0: Input/output error"
    env = {"SOFTHCA_PORTS": 2, "SOFTHCA_FAULTS": "query:EIO@1"}
    shown = hca.run([hca.program("verbench"), "list"], env)
    assert shown.status == 1
    assert says in shown.err
    assert re.search("^softhca0 .*link", shown.out, re.MULTILINE), shown.out
    assert re.search("^  port 2  active", shown.out, re.MULTILINE), shown.out

    checked = hca.run([hca.program("verbench"), "check", "--json", file], env)
    assert checked.status == 1
    assert re.search("^  port 2: active", checked.out, re.MULTILINE), checked.out
    result = json.loads(file.read_text())
    assert [(problem["code"], problem["text"]) for problem in result["problems"]] == [("not_open", says)]
    (device,) = result["run"]["devices"]
    assert [port["limits"]["port"] for port in device["ports"]] == [2]
    assert device["transports"]["RC"]


@pytest.mark.parametrize("of, name, text", [("init", "PORT_INIT", "2: INIT"), ("ib-down", "PORT_DOWN", "1: DOWN")])
def test_programs_see_the_state_of_a_port(hca: Hca, of: str, name: str, text: str) -> None:
    hca.env["SOFTHCA_PROFILE"] = str(profile(hca, of))
    assert hca.run(["bash", "-c", "cat /sys/class/infiniband/softhca0/ports/1/state"]).out.strip() == text
    if not shutil.which("ibv_devinfo"):
        pytest.skip("ibv_devinfo is not installed")
    info = hca.run(["ibv_devinfo"]).out
    assert re.search(f"state:.*{name}", info), info
    # it has no LID yet
    assert of != "init" or not re.search("port_lid:.*169", info), info
