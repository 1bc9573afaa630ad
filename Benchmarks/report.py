"""A table of measurements, each with its yardstick and the limit of their ratio."""

from dataclasses import dataclass, field


@dataclass
class Report:
    lines: list = field(default_factory=list)

    def add(self, name: str, measured: float, unit: str, bound: float, yardstick: float | None = None, note: str = ""):
        """`bound` is the largest allowed ratio to the yardstick, or without a yardstick the largest allowed value."""
        value = measured / yardstick if yardstick else measured
        mark = "ok" if value <= bound else "OVER"
        held = f"{yardstick:.3g} {unit}" if yardstick else "–"
        ratio = f"{value:.2f}×" if yardstick else f"{value:.3g} {unit}"
        limit = f"{bound:.3g}×" if yardstick else f"{bound:g} {unit}"
        self.lines.append((name, f"{measured:.3g} {unit}", held, ratio, limit, mark, note))
        print(f"{mark:5} {name}: {measured:.3g} {unit}, yardstick {held}, {ratio} (at most {limit}) {note}", flush=True)

    def table(self) -> str:
        head = ("what", "Lanyard", "yardstick", "ratio or value", "at most", "", "note")
        rows = [head, tuple("---" for _ in head), *self.lines]
        return "\n".join("| " + " | ".join(row) + " |" for row in rows)
