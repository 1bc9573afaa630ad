"""Several commands of `samba-tool` in one process, which saves loading it for each. Debian's own Python runs it.

Standard input: a JSON list of commands, each a list of arguments. For these `samba-tool` has no command: `set`, account,
{attribute: value}; and `move-controller`, name, site.
"""

import json
import sys

import ldb
from samba.auth import system_session
from samba.netcmd.main import cmd_sambatool
from samba.param import LoadParm
from samba.samdb import SamDB

configuration = sys.argv[1]


def directory() -> SamDB:
    parameters = LoadParm()
    parameters.load(configuration)
    return SamDB(lp=parameters, session_info=system_session(parameters))


def change(account: str, attributes: dict[str, str]) -> None:
    opened = directory()
    found = opened.search(expression=f"(sAMAccountName={account})", attrs=[])
    message = ldb.Message(found[0].dn)
    for name, value in attributes.items():
        message[name] = ldb.MessageElement(value, ldb.FLAG_MOD_REPLACE, name)
    opened.modify(message)


def move_controller(name: str, site: str) -> None:
    opened = directory()
    sites = f"CN=Sites,{opened.get_config_basedn()}"
    opened.rename(f"CN={name},CN=Servers,CN=Default-First-Site-Name,{sites}", f"CN={name},CN=Servers,CN={site},{sites}")


for command in json.load(sys.stdin):
    if command[0] == "set":
        change(*command[1:])
    elif command[0] == "move-controller":
        move_controller(*command[1:])
    elif status := cmd_sambatool()._run("samba-tool", *command, f"--configfile={configuration}"):
        sys.exit(f"samba-tool {' '.join(command)}: {status}")
