"""Images of a table, for the render modes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Width and height of a character cell, in pixels.
CELL = (9, 18)


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
