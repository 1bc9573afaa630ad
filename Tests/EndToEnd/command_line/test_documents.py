"""What documents say of each other and of the tree: links that lead somewhere, lists that name everything."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from processes import ROOT

DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


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


def test_the_readme_names_every_document_pages_section_4() -> None:
    named = {(ROOT / link.partition("#")[0]).resolve() for link in links(ROOT / "README.md")}
    assert [path.name for path in ROOT.glob("docs/*.md") if path not in named] == []


def test_F19_pages_every_picture_is_shown_and_is_made_by_the_script() -> None:
    pictures = {path.name for path in (ROOT / "docs" / "images").iterdir()}
    shown = {Path(link).name for document in DOCUMENTS for link in links(document) if link.endswith(".png")}
    made = set(re.findall(r'"([a-z-]+\.png)"', (ROOT / "Tests" / "EndToEnd" / "pictures.py").read_text()))
    assert pictures == shown == made


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_spelling_is_the_same_everywhere(document: Path) -> None:
    prose = re.sub(r"`[^`]*`", "", without_blocks(document))
    foreign = r"(?i)\b(?:e-mails?|(?:organis|authoris|recognis)\w+|canceled|behaviors?|colors?)\b"
    assert re.findall(foreign, prose) == []


def test_units_and_packages_that_documents_name_are_those_of_the_tree() -> None:
    """The packages for the server are those that install-device has for its programs, but for the C library."""
    script = (ROOT / "packaging" / "install-device").read_text()
    [device] = re.findall(r"readonly packages=\(([^)]*)\)", script)
    guide = (ROOT / "docs" / "operating.md").read_text().replace("\\\n", "")
    [server] = re.findall(r"^apt-get install (ca-certificates .*)$", guide, re.MULTILINE)
    assert set(device.split()) - set(server.split()) == {"libc6", "libgcc-s1", "libstdc++6"}
