"""What is in the packages, before anybody installs them."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest
from built_packages import build
from processes import LANYARD_SSO, PROGRAMS, ROOT, run


# Whether the packages were made from programs for release, as `make test-packages` has them.
RELEASE = "LANYARD_PACKAGES" in os.environ


def script(name: str) -> ModuleType:
    """A script in Python, as a module."""
    sys.dont_write_bytecode = True
    loader = SourceFileLoader(name.replace("-", "_"), str(ROOT / "scripts" / name))
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def field(package: Path, name: str) -> str:
    return run("dpkg-deb", "--field", package, name).stdout.strip()


def contents(package: Path) -> dict[str, tuple[str, str]]:
    """Mode and owner of each file and folder, by its path."""
    entries = {}
    for line in run("dpkg-deb", "--contents", package).stdout.splitlines():
        mode, owner, _, _, _, path = line.split(maxsplit=5)
        # A further name of a file has the file's mode.
        entries[re.split(" -> | link to ", path)[0].removeprefix(".")] = (re.sub("^h", "-", mode), owner)
    return entries


def unpacked(package: Path, folder: Path) -> Path:
    assert run("dpkg-deb", "--raw-extract", package, folder).returncode == 0
    return folder


def depends(package: Path) -> set[str]:
    return {each.split()[0] for each in field(package, "Depends").split(", ")}


def digest(package: Path) -> str:
    return hashlib.sha256(package.read_bytes()).hexdigest()


def test_there_is_one_package_for_servers_one_for_devices_and_one_to_read(packages: dict[str, Path]) -> None:
    assert set(packages) == {"lanyard", "lanyard-sso", "lanyard-doc"}
    version = run(LANYARD_SSO, "--version").stdout.split()[0]
    for name, package in packages.items():
        assert field(package, "Package") == name
        assert re.fullmatch(rf"{re.escape(version)}(~\d{{14}}\.[0-9a-f]{{10}}(\+changed)?)?", field(package, "Version"))
        assert package.name == f"{name}_{field(package, 'Version')}_{field(package, 'Architecture')}.deb"
    assert field(packages["lanyard-doc"], "Architecture") == "all"


def test_packages_depend_on_what_their_programs_load(packages: dict[str, Path]) -> None:
    guide = (ROOT / "docs" / "single-sign-on.md").read_text()
    [named] = re.findall(r"^Depends: (.*)$", guide, re.MULTILINE)
    # The last one enables the units.
    assert depends(packages["lanyard-sso"]) == {*named.split(", "), "init-system-helpers"}
    # For certificates, smart cards, and domains that are reached through a proxy; nothing else needs them.
    assert field(packages["lanyard-sso"], "Recommends") == "krb5-k5tls, krb5-pkinit"
    assert depends(packages["lanyard"]) >= {"adduser", "ca-certificates", "libpq5", "libsqlite3-0", "libargon2-1", "libc6"}


def test_everything_is_roots_and_nothing_runs_as_root_for_others(packages: dict[str, Path]) -> None:
    for package in packages.values():
        for path, (mode, owner) in contents(package).items():
            assert owner == "root/root", path
            assert not set(mode) & set("sStT"), path
            assert mode[5] == "-" and mode[8] == "-", f"others may write {path}"


def test_each_file_of_the_list_is_at_its_place(packages: dict[str, Path]) -> None:
    for name in ("lanyard", "lanyard-sso"):
        entries = contents(packages[name])
        for line in (ROOT / "packaging" / "debian" / f"{name}.install").read_text().splitlines():
            source, folder = line.split()
            mode, _ = entries[f"/{folder}/{source.rpartition('/')[2]}"]
            runs = source.startswith("programs/") and not source.endswith(".so") or source == "packaging/lanyardctl"
            assert mode == ("-rwxr-xr-x" if runs else "-rw-r--r--"), source
    # What administrators write is theirs on an upgrade.
    for name, files in (("lanyard", {"/etc/lanyard/lanyard.json"}), ("lanyard-sso", {"/etc/pam.d/lanyard-local-password", "/etc/xdg/autostart/lanyard-broker.desktop"})):
        assert set(run("dpkg-deb", "--info", packages[name], "conffiles").stdout.split()) == files


def test_programs_for_devices_have_nothing_of_the_server(packages: dict[str, Path]) -> None:
    assert not {path for path in contents(packages["lanyard-sso"]) if path.endswith(("/lanyard", "/lanyardctl", "lanyard.service"))
                and not path.startswith(("/etc/", "/usr/share/", "/usr/libexec/"))}
    assert not depends(packages["lanyard-sso"]) & {"libpq5", "libsqlite3-0", "libargon2-1", "libarchive13", "adduser"}


@pytest.mark.skipif(RELEASE, reason="these were not made from the programs of this test")
def test_the_same_commit_gives_the_same_bytes(packages: dict[str, Path], tmp_path: Path) -> None:
    again = build(tmp_path)
    assert {name: digest(package) for name, package in again.items()} == {
        name: digest(package) for name, package in packages.items()}


def elves(folder: Path) -> list[Path]:
    """Programs, and what programs load."""
    return [file for file in folder.rglob("*") if file.is_file() and not file.is_symlink() and file.read_bytes()[:4] == b"\x7fELF"]


@pytest.mark.skipif(not RELEASE, reason="programs for a trial are as the compiler has left them")
def test_programs_for_release_are_hardened_stripped_and_bring_swift_along(packages: dict[str, Path], tmp_path: Path) -> None:
    programs = [file for name in ("lanyard", "lanyard-sso") for file in elves(unpacked(packages[name], tmp_path / name))]
    assert {file.name for file in programs} >= {"lanyard", "lanyard-sso", "lanyard-broker", "lanyard-openid", "lanyard-kerberos"}
    for file in programs:
        read = run("readelf", "--wide", "--file-header", "--program-headers", "--dynamic", "--sections", file).stdout
        assert re.search(r"Type: +DYN", read) and "GNU_RELRO" in read, file
        # No function's address can be written once the program runs, nor what is on the stack be executed.
        assert re.search(r"BIND_NOW|FLAGS.* NOW", read) and not re.search(r"GNU_STACK.* RWE ", read), file
        assert "libswift" not in read and "RUNPATH" not in read and "RPATH" not in read, file
        assert ".symtab" not in read and ".debug_info" not in read, file
        # What is written in C notices when somebody writes beyond the end of a buffer on the stack. Code in Swift asks for no such guard.
        assert "__stack_chk_fail" in run("readelf", "--wide", "--dyn-syms", file).stdout, file


def test_what_other_programs_load_and_what_may_run_as_root_is_hardened(packages: dict[str, Path], tmp_path: Path) -> None:
    folder = unpacked(packages["lanyard-sso"], tmp_path) / "usr/libexec/lanyard"
    for name in ("lanyard-tickets.so", "lanyard-local-password"):
        read = run("readelf", "--wide", "--program-headers", "--dynamic", folder / name).stdout
        assert "GNU_RELRO" in read and re.search(r"BIND_NOW|FLAGS.* NOW", read) and not re.search(r"GNU_STACK.* RWE ", read), name
        called = set(re.findall(r" (__\w+_chk)(?:_fail)?@", symbols := run("readelf", "--wide", "--dyn-syms", folder / name).stdout))
        # The guard of the stack, and functions that know how large the buffer is that they fill.
        assert "__stack_chk_fail" in symbols and called - {"__stack_chk"}, (name, called)


@pytest.mark.skipif(not RELEASE, reason="packages of a trial have no debug symbols")
def test_debug_symbols_are_those_of_the_programs(packages: dict[str, Path], tmp_path: Path) -> None:
    def build_id(file: Path) -> str:
        [found] = re.findall(r"Build ID: ([0-9a-f]+)$", run("readelf", "--notes", file).stdout, re.MULTILINE)
        return found

    for name in ("lanyard", "lanyard-sso"):
        package = packages[name]
        symbols = package.with_name(package.name.replace(f"{name}_", f"{name}-dbgsym_"))
        wanted = {build_id(file) for file in elves(unpacked(package, tmp_path / name))}
        assert field(symbols, "Depends") == f"{name} (= {field(package, 'Version')})"
        assert set(field(symbols, "Build-Ids").split()) == wanted
        files = elves(unpacked(symbols, tmp_path / symbols.name))
        # Debuggers look for a file by the build id of the program.
        assert {f"{file.parent.name}{file.stem}" for file in files} == wanted == {build_id(file) for file in files}
        for file in files:
            read = run("readelf", "--wide", "--sections", file).stdout
            assert ".symtab" in read and ".debug_line" in read, file


def test_the_package_to_read_has_the_pages_and_what_they_lead_to(packages: dict[str, Path]) -> None:
    files = {path.removeprefix("/usr/share/doc/lanyard/") for path in contents(packages["lanyard-doc"])}
    listed = run("git", "-C", ROOT, "ls-files", "*.md", "docs", "Examples").stdout.splitlines()
    wanted = {path for path in listed if path.startswith(("docs/", "Examples/")) or "/" not in path}
    assert len(wanted) > 100 and wanted <= files, wanted - files
    # They name each other by their paths, and are read as they are.
    assert not [path for path in files if path.endswith(".md.gz")]
    # By it the same versions of the dependencies are built again.
    assert "Package.resolved" in files


def test_the_programs_of_a_device_are_one_file_that_is_what_it_is_called(packages: dict[str, Path], tmp_path: Path) -> None:
    folder = unpacked(packages["lanyard-sso"], tmp_path) / "usr"
    called = {name: folder / name for name in (
        "bin/lanyard-sso", "bin/lanyard-broker", "libexec/lanyard/lanyard-openid", "libexec/lanyard/lanyard-kerberos")}
    # Names of one file, not links to one: the broker tells programs apart by their paths.
    assert len({program.stat().st_ino for program in called.values()}) == 1
    assert not any(program.is_symlink() for program in called.values())
    for name, words in (("bin/lanyard-sso", "USAGE: lanyard-sso <subcommand>"), ("bin/lanyard-broker", "USAGE: lanyard-broker ")):
        assert words in run(called[name], "--help").stdout
    told = subprocess.run([called["libexec/lanyard/lanyard-openid"], "nonsense"], capture_output=True, text=True, timeout=60)
    assert told.returncode != 0 and "lanyard-openid" in told.stderr, told
    told = subprocess.run([called["libexec/lanyard/lanyard-kerberos"]], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert told.returncode != 0 and "the broker starts it" in told.stderr, told
    if RELEASE:
        assert sum(file.stat().st_size / file.stat().st_nlink for file in folder.rglob("*") if file.is_file() and not file.is_symlink()) < 30e6


def test_every_command_has_a_manual_page_in_which_roff_finds_nothing_wrong(
    packages: dict[str, Path], tmp_path: Path
) -> None:
    pages: list[Path] = []
    for name in ("lanyard", "lanyard-sso"):
        pages += (unpacked(packages[name], tmp_path / name) / "usr/share/man").rglob("*.gz")
    names = {page.name.removesuffix(".gz") for page in pages}
    for program in ("lanyard", "lanyard-sso"):
        listed = re.findall(r"^  ([a-z][a-z-]+)  ", run(PROGRAMS / program, "--help").stdout, re.MULTILINE)
        assert len(listed) > 10
        assert {f"{program}-{command}.1" for command in listed if command != "sso"} <= names
    assert {"lanyard.1", "lanyard-sso.1", "lanyard-broker.1", "lanyard.json.5", "lanyardctl.8"} <= names
    for page in pages:
        text = subprocess.run(["zcat", page], capture_output=True, check=True).stdout
        plain = tmp_path / page.stem
        plain.write_bytes(text)
        checked = run("mandoc", "-T", "lint", "-W", "warning", plain)
        assert (checked.returncode, checked.stdout) == (0, ""), checked.stdout
        shown = run("man", "--warnings", "--encoding=UTF-8", "--local-file", plain)
        assert shown.returncode == 0 and shown.stderr == "", shown.stderr


def test_a_page_of_commands_names_each_with_its_options_and_those_of_all_once(
    packages: dict[str, Path], tmp_path: Path
) -> None:
    page = unpacked(packages["lanyard"], tmp_path) / "usr/share/man/man1/lanyard-org.1.gz"
    text = subprocess.run(["mandoc", "-T", "utf8", page], capture_output=True, text=True, check=True).stdout
    text = re.sub(".\b", "", text)  # Bold letters are struck twice.
    assert "lanyard org list" in text and "lanyard org domain add" in text
    assert len(re.findall(r"^ +--data data$", text, re.MULTILINE)) == 1


def test_the_page_of_the_settings_has_every_setting() -> None:
    source = (ROOT / "Sources/Programs/ServerCommands/Settings/Settings.swift").read_text()
    [keys] = re.findall(r"static let keys: Set<String> = \[(.*?)\n    \]", source, re.DOTALL)
    told = script("make-manuals").settings()
    assert {key for key, *_ in told} == set(re.findall(r'"([\w.]+)"', keys))
    assert all(meaning for *_, meaning in told)


@pytest.mark.parametrize(("program", "command"), [("lanyard", "import"), ("lanyard-sso", "browser-policy")])
def test_completions_know_the_commands(packages: dict[str, Path], tmp_path: Path, program: str, command: str) -> None:
    folder = unpacked(packages[program], tmp_path)
    completions = folder / "usr/share/bash-completion/completions" / program
    offered = run("bash", "--norc", "-c", f"source {completions} && complete -p {program}")
    assert offered.returncode == 0 and program in offered.stdout, offered.stderr
    assert command in completions.read_text()
    for path in (f"usr/share/zsh/vendor-completions/_{program}", f"usr/share/fish/vendor_completions.d/{program}.fish"):
        assert command in (folder / path).read_text()


COMPLETED_BY_FISH = 'complete --do-complete "lanyardctl org dom"'
COMPLETED_BY_BASH = """source usr/share/bash-completion/completions/lanyardctl
complete -p lanyardctl > /dev/null
COMP_LINE="lanyardctl org dom" COMP_POINT=18 COMP_WORDS=(lanyardctl org dom) COMP_CWORD=2
_lanyard lanyardctl dom org
echo "${COMPREPLY[@]}"
"""
# A terminal, in which a person presses the key.
COMPLETED_BY_ZSH = """zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'fpath=($PWD/usr/share/zsh/vendor-completions $fpath); autoload -U compinit; compinit -u -D; echo re''ady'
zpty -r shell said '*ready*'
zpty -n -w shell $'lanyardctl org dom\t'
zpty -r shell said '*org domain*'
print -r -- $said
"""


@pytest.mark.parametrize(("shell", "arguments"), [
    ("bash", ("--norc", "-euc", COMPLETED_BY_BASH)), ("zsh", ("-f", "-c", COMPLETED_BY_ZSH)), ("fish", ("--command", COMPLETED_BY_FISH))])
def test_lanyardctl_is_completed_as_lanyard_is(packages: dict[str, Path], tmp_path: Path, shell: str, arguments: tuple[str, ...]) -> None:
    folder = unpacked(packages["lanyard"], tmp_path)
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    # fish looks for completions below this, and only for programs that there are.
    done = run(
        "env", "--chdir", folder, f"HOME={tmp_path}", f"XDG_DATA_DIRS={folder}/usr/share",
        f"PATH={folder}/usr/sbin:{folder}/usr/bin:{os.environ['PATH']}", "timeout", "30", shell, *arguments)
    assert done.returncode == 0 and "domain" in done.stdout, done.stdout + done.stderr


def test_the_copyright_file_has_every_dependency_that_is_linked(packages: dict[str, Path], tmp_path: Path) -> None:
    for name, among, not_among in (
        # Parts of others' code that packages have in them: the parser of HTTP, zlib, Keccak.
        ("lanyard", {
            "hummingbird", "swift-nio", "swift-crypto", "swift", "swift-nio/Sources/CNIOLLHTTP", "swift-nio-extras/Sources/CNIOExtrasZlib",
            "swift-crypto/Sources/CXKCP"}, {"jwt-kit"}),
        ("lanyard-sso", {"swift-nio", "swift-crypto", "swift", "swift-nio/Sources/CNIOLLHTTP"}, {"hummingbird", "async-http-client"}),
        ("lanyard-doc", set(), {"swift-nio"}),
    ):
        # In a trial Foundation is a library beside the program, and brings its copy of ICU along. No program of a device has it.
        (among if RELEASE and name == "lanyard" else not_among).add("swift-foundation-icu")
        text = (unpacked(packages[name], tmp_path / name) / "usr/share/doc" / name / "copyright").read_text()
        assert text.startswith("Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n")
        folders = set(re.findall(r"^Files: (.*)/\*$", text, re.MULTILINE))
        assert among <= folders and not not_among & folders
        for paragraph in text.split("\n\n"):
            assert re.search(r"^(Format|License): \S", paragraph, re.MULTILINE), paragraph
        used = set(re.findall(r"^License: (.*)$", text, re.MULTILINE))
        assert all(each.startswith(("Apache-2.0", "Expat", "other-C", "Unicode-3.0")) for each in used), used
        if "swift-foundation-icu" in folders:
            assert "UNICODE LICENSE V3" in text and "COPYING.ipadic" in text and "Google double-conversion" in text
        if among:
            assert "Copyright Fedor Indutny" in text and text.count("Permission is hereby granted, free of charge") >= 1


def test_a_dependency_without_a_licence_is_refused(tmp_path: Path) -> None:
    copyright = script("make-copyright")
    (tmp_path / "README.md").write_text("No word about a licence.")
    with pytest.raises(SystemExit, match="has no licence file"):
        copyright.licence_of(tmp_path)
    (tmp_path / "LICENSE.txt").write_text("MIT License\n\nCopyright (c) 2026 Somebody\n")
    assert copyright.licence_of(tmp_path)[0] == "Expat"
    # Terms that somebody has changed are no longer those of the licence.
    apache = Path("/usr/share/common-licenses/Apache-2.0").read_text()
    assert copyright.short_name(apache) == "Apache-2.0"
    assert copyright.short_name(apache.replace("perpetual", "yearly", 1)) == "other"


def test_a_program_with_the_tables_of_icu_needs_its_terms(tmp_path: Path) -> None:
    copyright = script("make-copyright")
    program = tmp_path / "program"
    for contents, has_icu in ((b"...icudt76l-brkitr...", True), (b"icudata, which is loaded", False)):
        program.write_bytes(contents)
        assert copyright.has_icu(program) == has_icu
    terms = copyright.ICU.read_text().partition("SPDX-License-Identifier:")[0].rstrip() + "\n"
    # As https://www.unicode.org/license.txt has it, but for the years.
    published = terms.replace("2016-2024", "1991-2026").encode()
    assert hashlib.sha256(published).hexdigest() == "e7a93b009565cfce55919a381437ac4db883e9da2126fa28b91d12732bc53d96"


def test_dependencies_are_those_of_the_build_that_made_the_program(tmp_path: Path) -> None:
    """`make packages` builds in folders of its own, and nothing else may have been built in a clean clone."""
    copyright = script("make-copyright")
    build = tmp_path / "server-build"
    (build / "checkouts" / "swift-log").mkdir(parents=True)
    (build / "x86_64-unknown-linux-gnu" / "release").mkdir(parents=True)
    (build / "release").symlink_to("x86_64-unknown-linux-gnu/release")
    assert copyright.checkouts_of([build / "release" / "lanyard"]) == [build / "checkouts" / "swift-log"]


def test_terms_in_the_files_of_a_module_are_taken_along(tmp_path: Path) -> None:
    copyright = script("make-copyright")
    terms = "Copyright (c) 1999 Somebody. Redistribution is permitted."
    (tmp_path / "a.c").write_text(f"// another comment\n\n/*\n * {terms}\n */\nint a;\n/* Redistribution is permitted. Not at the beginning. */\n")
    (tmp_path / "b.h").write_text(f"// {terms}\n\n#define B\n")
    (tmp_path / "c.h").write_text("// Licensed under the Apache License, Version 2.0, by permission.\n")
    (tmp_path / "LICENSE").write_text("Copyright 2020 Another\nPermission is granted.\n")
    assert copyright.notices_of(tmp_path) == ["Copyright 2020 Another\nPermission is granted.", terms]


def test_a_module_of_nobody_is_refused() -> None:
    copyright = script("make-copyright")
    with pytest.raises(SystemExit, match="nobody knows its licence"):
        copyright.package_of("NotAModule", [])
    assert copyright.package_of("Ground", []) is None
    assert copyright.package_of("lanyard_sso", []) is None


@pytest.mark.parametrize(("arguments", "says"), [
    (["--programs", "/nowhere"], "/nowhere"),
    (["--fast"], "there is no --fast"),
])
def test_wrong_arguments_make_no_packages(tmp_path: Path, arguments: list[str], says: str) -> None:
    done = run(ROOT / "scripts" / "build-packages", *arguments, "--out", tmp_path)
    assert done.returncode != 0 and says in done.stderr
    assert not list(tmp_path.glob("*.deb"))
