"""What documents say of each other and of the tree: links that lead somewhere, lists that name everything."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from processes import ROOT

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
INDEX = ROOT / "docs" / "README.md"
# The files that may cite a document: everything that people write here.
CITING = sorted(
    path
    for folder in ("Sources", "Tests", "Examples", "Benchmarks", "scripts", "packaging", "share", "docs")
    for path in (ROOT / folder).rglob("*")
    if path.is_file() and path.suffix in {"", ".swift", ".py", ".js", ".css", ".html", ".md", ".sh", ".service"}
) + sorted([*ROOT.glob("*.md"), ROOT / "Package.swift", ROOT / "Makefile"])


def without_blocks(document: Path) -> str:
    """The text, without what is to be typed or pasted."""
    return re.sub(r"^```.*?^```$", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)


def links(document: Path) -> list[str]:
    """Targets inside of this repository, of links and pictures."""
    targets = re.findall(r"\]\(([^)\s]+)\)", without_blocks(document))
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


def anchors(document: Path) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    for link in links(document):
        path, _, anchor = unquote(link).partition("#")
        target = (document.parent / path).resolve() if path else document
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def test_the_index_names_every_document_and_the_readme_names_the_index() -> None:
    assert "docs/README.md" in links(ROOT / "README.md")
    named = {(INDEX.parent / link.partition("#")[0]).resolve() for link in links(INDEX)}
    pages = {path for path in ROOT.glob("docs/**/*.md") if path.parent.name != "decisions"} - {INDEX}
    assert [str(path.relative_to(ROOT)) for path in sorted(pages - named)] == []
    assert ROOT / "docs" / "decisions" in named


def text(path: Path) -> str:
    """Empty for what is no text."""
    try:
        return path.read_text()
    except UnicodeDecodeError:
        return ""


def test_every_document_that_is_cited_is_here() -> None:
    """In code and scripts by its path from the repository's root, so that a reader can open it."""
    missing = []
    for path in CITING:
        if path.suffix == ".md" or path == Path(__file__):
            continue
        # A name alone, in quotes, is part of a path that a test puts together.
        for cited in re.findall(r"""(?<![\w"'/.-])[\w.-]+(?:/[\w.-]+)*\.md\b""", text(path)):
            if not (ROOT / cited).is_file():
                missing.append(f"{path.relative_to(ROOT)}: {cited}")
        for cited in re.findall(r"docs/decisions/\d+(?![\w-])", text(path)):
            missing.append(f"{path.relative_to(ROOT)}: {cited} without its name")
    assert missing == []


def statements(page: Path) -> list[str]:
    """The numbers of a specification's sections and statements, as they stand."""
    return re.findall(r"^(?:## (\d+)\. |\| (\d+\.\d+) \|)", page.read_text(), re.MULTILINE)


SPECIFICATIONS = {
    page.name: ["".join(number) for number in statements(page)]
    for page in ROOT.glob("docs/specifications/*.md")
    if page.name != "README.md"
}


@pytest.mark.parametrize("name", sorted(SPECIFICATIONS))
def test_statements_are_numbered_in_order_and_have_a_mark(name: str) -> None:
    numbers = [tuple(int(part) for part in number.split(".")) for number in SPECIFICATIONS[name]]
    sections = [number[0] for number in numbers if len(number) == 1]
    assert sections == list(range(1, len(sections) + 1))
    for section in sections:
        of_section = [number[1] for number in numbers if len(number) == 2 and number[0] == section]
        assert of_section == list(range(1, len(of_section) + 1)) and of_section, section
    rows = re.findall(r"^\| \d+\.\d+ \|.*\| ([^|]*) \|$", (INDEX.parent / "specifications" / name).read_text(), re.M)
    assert len(rows) == sum(len(number) == 2 for number in numbers)
    marks = {mark for row in rows for mark in row.split(", ")}
    assert marks <= {"documented", "observed", "inferred", "chosen"}


NUMBERS = r"\d+(?:\.\d+)?"


def test_every_statement_that_is_cited_is_in_its_page() -> None:
    cited = 0
    wrong = []
    for path in CITING:
        for name, numbers in re.findall(
            rf"docs/specifications/([\w-]+\.md), ({NUMBERS}(?:(?:,? and | to |, ){NUMBERS})*)",
            # A comment may break the line within a citation.
            re.sub(r"\n\s*(?:///?|#)?\s*", " ", text(path)),
        ):
            for number in re.findall(NUMBERS, numbers):
                cited += 1
                if number not in SPECIFICATIONS.get(name, []):
                    wrong.append(f"{path.relative_to(ROOT)}: {name}, {number}")
    assert wrong == []
    assert cited > 100


def test_names_of_tests_are_sentences_without_numbers_of_lists() -> None:
    """A number of a plan or a review says nothing to whoever has only the repository."""
    pattern = (
        r"def test_(?:\d+_\d+_|[A-Z]\d+_)\w*|def test_\w+_[A-Z]\d{1,2}\b"
        r'|(?:@Test\(\s*"|func `)(?:[A-Z]\d{1,2}|\d+(?:\.\d+)?)[ :,](?!000)[^"`]*|\((?:[a-z-]+,? )?[A-Z]\d{1,2}\)["`]'
    )
    found = [hit for path in CITING if path.is_relative_to(ROOT / "Tests") for hit in re.findall(pattern, text(path))]
    assert found == []


def test_each_statement_of_the_talk_is_shown_by_tests_that_exist_or_explained() -> None:
    page = (ROOT / "docs" / "the-talk.md").read_text()
    rows = re.findall(r"^\| (\d+) \| (\d+) \| ([^|]+) \| ([^|]+) \|$", page, re.MULTILINE)
    assert [int(number) for number, *_ in rows] == list(range(1, 183))
    times = [int(time) for _, time, *_ in rows]
    assert times == sorted(times)
    wrong = []
    for number, _, said, shown in rows:
        tests = [
            (ROOT / "Tests" / "EndToEnd" / file, f"def {name}(")
            for file, name in re.findall(r"`([\w/]+\.py)::(test_\w+)`", shown)]
        for file, sentences in re.findall(r"`([\w/]+\.swift)`: (“[^”]+”(?:, “[^”]+”)*)", shown):
            tests += [(ROOT / "Tests" / file, sentence) for sentence in re.findall("“([^”]+)”", sentences)]
        # What is quoted in another way would not be looked for.
        assert shown.count("::") + shown.count("“") == len(tests), (number, shown)
        wrong += [(number, str(file), name) for file, name in tests if not file.is_file() or name not in file.read_text()]
        is_explained = shown.startswith("*Not to be shown:* ") and len(shown) > 25
        if bool(tests) == is_explained or (not tests and "Kerberos" in said):
            wrong.append((number, said, shown))
    assert wrong == []


def test_every_picture_is_shown_and_is_made_by_the_script() -> None:
    pictures = {path.name for path in (ROOT / "docs" / "images").iterdir()}
    shown = {Path(link).name for document in DOCUMENTS for link in links(document) if link.endswith(".png")}
    made = set(re.findall(r'"([a-z-]+\.png)"', (ROOT / "Tests" / "EndToEnd" / "pictures.py").read_text()))
    assert pictures == shown == made


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_spelling_is_the_same_everywhere(document: Path) -> None:
    prose = re.sub(r"`[^`]*`", "", without_blocks(document))
    foreign = r"(?i)\b(?:e-mails?|(?:organis|authoris|recognis)\w+|canceled|behaviors?|colors?)\b"
    assert re.findall(foreign, prose) == []


ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text()


def test_the_ways_through_the_house_have_few_stops_that_are_there() -> None:
    ways = ARCHITECTURE.partition("## Seven ways")[2].partition("\n## ")[0].split("\n**")[1:]
    assert len(ways) == 7
    for way in ways:
        stops = re.findall(r"^\d+\. ", way, re.MULTILINE)
        assert 5 <= len(stops) <= 10, way
    places = set(re.findall(r"`([A-Z]\w+(?:/[\w+.]+)+)`", ARCHITECTURE))
    assert len(places) > 40
    for place in places:
        found = [path for end in ("", ".swift") for path in ROOT.glob(f"Sources/**/{place}{end}")]
        assert found, place


def test_every_room_is_in_the_plan_of_the_house() -> None:
    wings = ("Server", "Device", "Client", "Programs")
    rooms = {path.name for wing in wings for path in (ROOT / "Sources" / wing).iterdir() if path.is_dir()}
    assert [room for room in sorted(rooms) if not re.search(rf"\b{re.escape(room)}\b", ARCHITECTURE)] == []
