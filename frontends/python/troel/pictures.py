"""Text and images of a table, for the render modes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._troel import Game, View

#: Ways to show a table: text, an image, or text on the terminal.
RENDER_MODES = ["ansi", "rgb_array", "human"]

#: Width and height of a character cell, in pixels.
CELL = (9, 18)


def check_render_mode(render_mode: str | None) -> None:
    """Raises a ``ValueError`` unless this is a render mode or ``None``."""
    if render_mode is not None and render_mode not in RENDER_MODES:
        raise ValueError(f"render_mode={render_mode!r}: use one of {RENDER_MODES} or None")


def render(table: Game | View, render_mode: str | None) -> str | NDArray[np.uint8] | None:
    """Returns the table as text or as an image, or prints it in the mode ``"human"``."""
    if render_mode == "ansi":
        return table.text()
    if render_mode == "rgb_array":
        return rgb_array(table.text())
    if render_mode == "human":
        print(table.text(colours=True))
    return None


def rgb_array(text: str) -> NDArray[np.uint8]:
    """Returns the text of a table as an image, uint8 of shape ``(height, width, 3)``.

    Raises:
        ImportError: Pillow is not installed.
    """
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ModuleNotFoundError as error:
        raise ImportError(
            'render_mode="rgb_array" needs Pillow: pip install "troel[images]"'
        ) from error
    lines = text.rstrip("\n").split("\n")
    # All images have the same size, because videos need that.
    width, height = CELL[0] * 100, CELL[1] * 36
    image = Image.new("RGB", (width, height), (16, 60, 42))
    draw = ImageDraw.Draw(image)
    font = _font(ImageFont)
    for row, line in enumerate(lines[:36]):
        for column, character in enumerate(line[:100]):
            if character != " ":
                colour = (255, 130, 120) if character in "♥♦" else (240, 240, 230)
                draw.text((column * CELL[0], row * CELL[1]), character, colour, font)
    return np.asarray(image)


def _font(module: Any) -> Any:
    """Returns a font of fixed width that has the suits."""
    for name in ("DejaVuSansMono.ttf", "Menlo.ttc", "consola.ttf", "LiberationMono-Regular.ttf"):
        try:
            return module.truetype(name, 14)
        except OSError:
            continue
    return module.load_default(14)
