"""A library for smart cards that crashes or hangs takes nothing with it: docs/specifications/extensible-single-sign-on.md, 21.9.
A card that is pulled out, or about to lock, is told from a wrong PIN."""

import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from kerberos.device import PROGRAM, KerberosDevice, KerberosExtension, authorization, headers, load, types
from kerberos.kdc import PASSWORD, Person, Realm
from kerberos.negotiate_site import NegotiateSite
from kerberos.smart_card import MODULE, PIN, smart_card
from processes import wait_until
from single_sign_on.openid.extension import Answer

NewPerson = Callable[..., Person]
NO_CARD = "There is no card, or SCHOOL.TEST does not accept its certificate."
FEW = "Only a few wrong PINs are left until the card is locked."
LAST = "One more wrong PIN locks the card."
CARD_LOCKED = "The card is locked. Ask your administrator to unlock it."
FAILED = "The program for smart cards has failed. Put the card in again and try once more, or use your password."

# Passes everything on to SoftHSM, but for what is to go wrong.
LIBRARY = r"""
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int tried(void)
{
    return getenv("CARD_FAILS_ONCE") && access(getenv("CARD_FAILS_ONCE"), F_OK) == 0;
}

__attribute__((visibility("default"))) unsigned long C_GetFunctionList(void *list)
{
    // It is loaded and called more than once in each process.
    int known = getenv("CARD_KNOWN") != NULL;
    setenv("CARD_KNOWN", "1", 1);
    if (!tried()) {
        FILE *mark = getenv("CARD_FAILS_ONCE") ? fopen(getenv("CARD_FAILS_ONCE"), "w") : NULL;
        if (mark)
            fclose(mark);
        puts("{\"card\":\"ready\"}");
        fflush(stdout);
        FAILURE;
    } else if (getenv("CARD_IS_SLOW") && !known) {
        close(creat(getenv("CARD_IS_SLOW"), 0600));
        sleep(10);
    }
    void *real = dlopen("MODULE", RTLD_NOW | RTLD_LOCAL);
    return ((unsigned long (*)(void *))dlsym(real, "C_GetFunctionList"))(list);
}
"""


# What the two below begin with.
HEAD = r"""
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// PKCS#11: places in the list of functions, and what they return. All of these have five arguments at most.
enum { GET_SLOT_LIST = 4, GET_TOKEN_INFO = 6, OPEN_SESSION = 12, LOGIN = 18, FIND_OBJECTS_INIT = 26 };
enum { DEVICE_REMOVED = 0x32, PIN_LOCKED = 0xA4, TOKEN_NOT_PRESENT = 0xE0 };
typedef unsigned long Number;
typedef Number (*Function)(Number, Number, Number, Number, Number);
static struct list { unsigned char version[2]; Function functions[68]; } list, *real;

static void load(void)
{
    void *module = dlopen("MODULE", RTLD_NOW | RTLD_LOCAL);
    ((Number (*)(void *))dlsym(module, "C_GetFunctionList"))(&real);
    list = *real;
}
"""


# Passes everything on to SoftHSM. When somebody signs in to the card, it is pulled out, unless the reader holds it.
PULLED = HEAD + r"""
static int pulled(void)
{
    return access(getenv("CARD_IS_PULLED"), F_OK) == 0;
}

static Number get_slot_list(Number present, Number slots, Number count, Number d, Number e)
{
    if (!pulled())
        return real->functions[GET_SLOT_LIST](present, slots, count, d, e);
    *(Number *)count = 0;
    return 0;
}

#define GONE(name, place, answer) \
    static Number name(Number a, Number b, Number c, Number d, Number e) \
    { \
        return pulled() ? answer : real->functions[place](a, b, c, d, e); \
    }
GONE(get_token_info, GET_TOKEN_INFO, TOKEN_NOT_PRESENT)
GONE(open_session, OPEN_SESSION, TOKEN_NOT_PRESENT)
GONE(find_objects_init, FIND_OBJECTS_INIT, DEVICE_REMOVED)

static Number login(Number a, Number b, Number c, Number d, Number e)
{
    int holds = access(getenv("READER_HOLDS"), F_OK) == 0;
    Number answer = FAILURE && !holds ? DEVICE_REMOVED : real->functions[LOGIN](a, b, c, d, e);
    if (!holds)
        close(creat(getenv("CARD_IS_PULLED"), 0600));
    return answer;
}

__attribute__((visibility("default"))) Number C_GetFunctionList(struct list **told)
{
    load();
    list.functions[GET_SLOT_LIST] = get_slot_list;
    list.functions[GET_TOKEN_INFO] = get_token_info;
    list.functions[OPEN_SESSION] = open_session;
    list.functions[LOGIN] = login;
    list.functions[FIND_OBJECTS_INIT] = find_objects_init;
    *told = &list;
    return 0;
}
"""


# Passes everything on to SoftHSM, whose cards never lock. This one does: it has as many tries left as a file has bytes, and as many
# again after the right PIN.
LOCKING = HEAD + r"""
enum { COUNT_LOW = 1 << 16, FINAL_TRY = 1 << 17, LOCKED = 1 << 18 };

static int tries(void)
{
    struct stat file;
    return stat(getenv("CARD_TRIES"), &file) == 0 ? file.st_size : 0;
}

static Number get_token_info(Number slot, Number information, Number c, Number d, Number e)
{
    Number answer = real->functions[GET_TOKEN_INFO](slot, information, c, d, e);
    // Behind four texts that have 96 bytes.
    Number *flags = (Number *)(information + 96);
    *flags &= ~(Number)COUNT_LOW;
    *flags |= tries() == 0 ? LOCKED : tries() == 1 ? FINAL_TRY : tries() == 2 ? COUNT_LOW : 0;
    return answer;
}

static Number login(Number a, Number b, Number c, Number d, Number e)
{
    if (tries() == 0)
        return PIN_LOCKED;
    Number answer = real->functions[LOGIN](a, b, c, d, e);
    truncate(getenv("CARD_TRIES"), answer == 0 ? FAILURE : tries() - 1);
    return answer;
}

__attribute__((visibility("default"))) Number C_GetFunctionList(struct list **told)
{
    load();
    list.functions[GET_TOKEN_INFO] = get_token_info;
    list.functions[LOGIN] = login;
    *told = &list;
    return 0;
}
"""


def library(folder: Path, failure: str, text: str = LIBRARY) -> Path:
    source, built = folder / "library.c", folder / "library.so"
    source.write_text(text.replace("FAILURE", failure).replace("MODULE", str(MODULE)))
    subprocess.run(["cc", "-shared", "-fPIC", "-o", built, source], check=True)
    return built


@pytest.mark.parametrize("failure", ["abort()", "*(volatile int *)8 = 1", "_exit(0)", "kill(getpid(), SIGKILL)"],
                         ids=["abort", "segmentation fault", "ends", "killed"])
def test_a_library_that_crashes_does_not_end_the_extension(
    realm: Realm, new_person: NewPerson, site: NegotiateSite, tmp_path: Path, failure: str
) -> None:
    person, other = new_person(), new_person()
    card = smart_card(tmp_path / "card", realm.certificate(person.name))
    mark = tmp_path / "tried"
    device = KerberosDevice(
        tmp_path / "device", realm.name, realm.settings, CARD_FAILS_ONCE=str(mark), **card.environment)
    (device.files / "pkcs11-module").write_text(f"{library(tmp_path, failure)}\n")
    data = {"startInSmartCardMode": True, "principalName": person.name}
    with device.start() as extension:
        # First it fails, then the same form signs in.
        answer = extension.operation("login", data=data, person=types({"PIN": PIN}, {"PIN": PIN}))
        assert [form.get("problem") for form in answer.forms] == [None, FAILED], device.log
        assert headers(answer)["Principal"] == person.principal
        assert headers(answer)["Cache-Name"].endswith(f"tktsso-{device.name}")
        assert load(site, "/members/", authorization(extension.challenge(f"{site.url}/members/")))[0] == 200
        # With a password, too.
        mark.unlink()
        device.destroy_tickets()
        answer = extension.operation("login", data={"startInSmartCardMode": True}, person=types(
            {"User name": other.name, "PIN": PIN}, {"Use a password instead": "true"}, {"Password": PASSWORD}))
        assert headers(answer)["Principal"] == other.principal, device.log
        assert [form.get("problem") for form in answer.forms] == [None, FAILED, None]
    assert PIN not in device.log
    if failure != "_exit(0)":
        assert "the library for smart cards has failed: it was ended by signal" in device.log


@pytest.mark.parametrize("before", ["1", "0"], ids=["while the PIN is tried", "after the PIN"])
def test_a_card_that_is_pulled_out_is_not_a_wrong_pin(
    realm: Realm, new_person: NewPerson, tmp_path: Path, before: str
) -> None:
    person = new_person()
    card = smart_card(tmp_path / "card", realm.certificate(person.name))
    pulled, holds = tmp_path / "pulled", tmp_path / "holds"
    device = KerberosDevice(
        tmp_path / "device", realm.name, realm.settings, CARD_IS_PULLED=str(pulled), READER_HOLDS=str(holds),
        **card.environment)
    (device.files / "pkcs11-module").write_text(f"{library(tmp_path, before, PULLED)}\n")
    said: list[str | None] = []

    def tries(form: dict) -> dict[str, str]:
        said.append(form.get("problem"))
        # The second time it is still out.
        if len(said) == 3:
            pulled.unlink()
            holds.touch()
        return {"PIN": PIN}

    with device.start() as extension:
        answer = extension.operation(
            "login", data={"startInSmartCardMode": True, "principalName": person.name}, person=tries)
        assert said == [None, NO_CARD, NO_CARD], device.log
        assert headers(answer)["Principal"] == person.principal
    # The PIN was right each time.
    assert "user PIN count low" not in card.flags and PIN not in device.log


@dataclass
class LockingCard:
    """A device, and the card of a person there, which locks after three wrong PINs."""

    device: KerberosDevice
    person: Person
    file: Path

    @property
    def tries(self) -> int:
        return self.file.stat().st_size

    @tries.setter
    def tries(self, count: int) -> None:
        self.file.write_bytes(bytes(count))

    def login(self, extension: KerberosExtension, *typed: dict[str, str]) -> tuple[list[str | None], list[int], Answer]:
        """What the forms say, how many tries are left when each is shown, and how it ends."""
        left: list[int] = []
        person = types(*typed)

        def answers(form: dict) -> dict[str, str] | None:
            left.append(self.tries)
            return person(form)

        answer = extension.operation(
            "login", data={"startInSmartCardMode": True, "principalName": self.person.name}, person=answers)
        return [form.get("problem") for form in answer.forms], left, answer


@pytest.fixture
def locking(realm: Realm, new_person: NewPerson, tmp_path: Path) -> LockingCard:
    person, tries = new_person(), tmp_path / "tries"
    card = smart_card(tmp_path / "card", realm.certificate(person.name))
    device = KerberosDevice(
        tmp_path / "device", realm.name, realm.settings, CARD_TRIES=str(tries), **card.environment)
    (device.files / "pkcs11-module").write_text(f"{library(tmp_path, '3', LOCKING)}\n")
    locking = LockingCard(device, person, tries)
    locking.tries = 3
    return locking


def test_each_wrong_pin_says_how_near_the_lock_is(locking: LockingCard) -> None:
    with locking.device.start() as extension:
        said, left, answer = locking.login(extension, {"PIN": "000000"}, {"PIN": "111111"}, {"PIN": PIN})
        assert said == [None, f"The PIN is wrong. {FEW}", f"The PIN is wrong. {LAST}"], locking.device.log
        assert left == [3, 2, 1]
        assert headers(answer)["Principal"] == locking.person.principal
    assert locking.tries == 3


def test_the_last_try_is_spent_by_somebody_who_has_read_so_and_a_locked_card_leaves_the_password(
    locking: LockingCard
) -> None:
    locking.tries = 1
    with locking.device.start() as extension:
        said, left, answer = locking.login(
            extension, {"PIN": "000000"}, {"PIN": "000000"}, {"PIN": PIN}, {"Use a password instead": "true"},
            {"Password": PASSWORD})
        assert said == [None, LAST, f"The PIN is wrong. {CARD_LOCKED}", CARD_LOCKED, None], locking.device.log
        assert left == [1, 1, 0, 0, 0]
        assert headers(answer)["Principal"] == locking.person.principal


def test_a_card_that_is_locked_already_is_said_to_be(locking: LockingCard) -> None:
    locking.tries = 0
    with locking.device.start() as extension:
        said, _, answer = locking.login(extension, {"PIN": PIN})
        assert (said, answer.kind) == ([None, CARD_LOCKED], "canceled"), locking.device.log


@pytest.fixture
def new_device(realm: Realm, new_person: NewPerson, tmp_path: Path) -> Callable[..., tuple[KerberosDevice, Person]]:
    """A device whose library for smart cards does something strange once, and the person whose card it has."""

    def make(failure: str, **environment: str) -> tuple[KerberosDevice, Person]:
        person = new_person()
        card = smart_card(tmp_path / "card", realm.certificate(person.name))
        device = KerberosDevice(
            tmp_path / "device", realm.name, realm.settings, CARD_FAILS_ONCE=str(tmp_path / "tried"),
            **card.environment, **environment)
        (device.files / "pkcs11-module").write_text(f"{library(tmp_path, failure)}\n")
        return device, person

    return make


def is_for_a_card(process: int) -> bool:
    """Whether it runs: of one that has ended and waits for its parent, the words are gone."""
    try:
        return b"--smart-card" in Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return False


def card_processes(parent: int) -> list[int]:
    children = (int(word) for task in Path(f"/proc/{parent}/task").iterdir() for word in (task / "children").read_text().split())
    return [child for child in children if is_for_a_card(child)]


def begin_with_card(extension: KerberosExtension, device: KerberosDevice, person: Person) -> int:
    """Begins a sign-in for which the person types the PIN; returns the number of the request."""
    number = extension.begin(
        f"sso-realm:{device.name}", "login", data={"startInSmartCardMode": True, "principalName": person.name},
        isUserInterfaceEnabled=True)
    (kind, content), = extension.report(number).items()
    assert kind == "presentForm"
    extension.present(number, content["_1"], {"PIN": PIN})
    return number


def test_a_library_that_hangs_is_given_up_before_the_broker_gives_up_the_request(
    new_device: Callable[..., tuple[KerberosDevice, Person]]
) -> None:
    device, person = new_device("for (;;) pause()")
    with device.start() as extension:
        begun = time.monotonic()
        answer = extension.operation(
            "login", data={"startInSmartCardMode": True, "principalName": person.name}, person=types({"PIN": PIN}, {"PIN": PIN}))
        # The broker waits for sixty seconds.
        assert 15 < time.monotonic() - begun < 40
        assert [form.get("problem") for form in answer.forms] == [None, FAILED], device.log
        assert headers(answer)["Principal"] == person.principal
        assert card_processes(extension.process.pid) == []
    assert "the library for smart cards has failed: it took too long" in device.log


def test_a_library_that_hangs_ends_with_the_extension(
    new_device: Callable[..., tuple[KerberosDevice, Person]]
) -> None:
    device, person = new_device("for (;;) pause()")
    extension = device.start()
    begin_with_card(extension, device, person)
    card, = wait_until(lambda: card_processes(extension.process.pid), 10, "the process for the card runs")
    extension.kill()
    wait_until(lambda: not is_for_a_card(card), 10, "it ends too")


@pytest.mark.parametrize("more", ["pause()", 'execlp("sleep", "sleep", "30", NULL)'], ids=["the same", "another"])
def test_a_program_that_the_library_leaves_behind_keeps_nobody_waiting(
    new_device: Callable[..., tuple[KerberosDevice, Person]], more: str
) -> None:
    device, person = new_device(f"if (fork() == 0) {{ alarm(30); {more}; _exit(0); }}")
    with device.start() as extension:
        begun = time.monotonic()
        answer = extension.operation(
            "login", data={"startInSmartCardMode": True, "principalName": person.name}, person=types({"PIN": PIN}))
        assert headers(answer)["Principal"] == person.principal, device.log
        assert time.monotonic() - begun < 15


def test_a_page_waits_for_somebody_whose_card_is_slow(
    new_device: Callable[..., tuple[KerberosDevice, Person]], site: NegotiateSite, tmp_path: Path
) -> None:
    slow = tmp_path / "slow"
    device, person = new_device("(void)0", CARD_IS_SLOW=str(slow))
    with device.start() as extension:
        number = begin_with_card(extension, device, person)
        wait_until(slow.exists, 10, "the card signs in")
        # A server answers within this time, but it is the card that is waited for.
        answer = extension.challenge(f"{site.url}/members/", data={"principalName": person.name}, person=types())
        assert answer.kind == "headers" and answer.forms == [], device.log
        assert headers(extension.finish(number))["Network-Available"] == "true"


def test_a_sign_out_while_somebody_signs_in_is_the_last_word(
    new_device: Callable[..., tuple[KerberosDevice, Person]], new_person: NewPerson, tmp_path: Path
) -> None:
    slow = tmp_path / "slow"
    device, person = new_device("(void)0", CARD_IS_SLOW=str(slow))
    with device.start() as extension:
        number = begin_with_card(extension, device, person)
        wait_until(slow.exists, 10, "the card signs in")
        assert extension.operation("logout").kind == "empty"
        extension.finish(number)
        saved = device.folder / "data"
        assert not list(saved.glob("realm-*")) and person.name not in device.tickets(), device.log
        # Whoever signs in afterwards is.
        other = new_person()
        assert extension.operation("login", person=types(
            {"Use a password instead": "true"}, {"User name": other.name, "Password": PASSWORD}
        ), data={"startInSmartCardMode": True}).status == 200
        assert list(saved.glob("realm-*"))


def test_a_kdc_that_says_nothing_is_not_taken_for_a_card_that_is_broken(tmp_path: Path) -> None:
    with Realm(tmp_path / "realm", "OWN.TEST") as realm:
        realm.add("ana", PASSWORD, "+requires_preauth")
        card = smart_card(tmp_path / "card", realm.certificate("ana"))
        device = KerberosDevice(tmp_path / "device", realm.name, realm.settings, **card.environment)
        (device.files / "pkcs11-module").write_text(f"{MODULE}\n")
        data = {"startInSmartCardMode": True, "principalName": "ana"}
        with device.start() as extension:
            number = extension.begin(f"sso-realm:{device.name}", "login", data=data, isUserInterfaceEnabled=True)
            (kind, content), = extension.report(number).items()
            assert kind == "presentForm"
            realm.pause()
            try:
                extension.present(number, content["_1"], {"PIN": PIN})
                answer = extension.finish(number, person=types(None))
            finally:
                realm.go_on()
            assert "No server of OWN.TEST answers." in answer.forms[0]["problem"], device.log
            assert card_processes(extension.process.pid) == []
            assert headers(extension.operation("login", data=data, person=types({"PIN": PIN})))["UserName"] == "ana"
    assert "no KDC has answered in time" in device.log and "has failed" not in device.log


def test_the_argument_is_for_the_extension_alone() -> None:
    done = subprocess.run([PROGRAM, "--smart-card"], capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL)
    assert (done.stdout, "is for the extension's own use" in done.stderr) == ("", True)
