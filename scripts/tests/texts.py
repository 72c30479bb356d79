# SPDX-License-Identifier: Apache-2.0
"""Looks for text that lies over other text, or outside of its figure."""

WIDTHS = (600, 1000, 1600)
COLLISIONS = """figures => {
  const found = [];
  const isSlanted = text => {
    const matrix = text.getScreenCTM();
    return Math.abs(matrix.a) > 0.01 && Math.abs(matrix.b) > 0.01;
  };
  for (const figure of document.querySelectorAll(figures)) {
    const frame = figure.getBoundingClientRect();
    const texts = [...figure.querySelectorAll('text')].filter(text => text.textContent.trim() && !text.closest('.hoverlayer') && text.getBoundingClientRect().width)
      .map(text => ({words: text.textContent, box: text.getBoundingClientRect(), slanted: isSlanted(text)}));
    texts.forEach(({words, box, slanted}, i) => {
      const inside = box.left >= frame.left - 1 && box.right <= frame.right + 1 && box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1;
      if (frame.width && !inside) found.push(`"${words}" is outside`);
      for (const other of texts.slice(i + 1)) {
        const wide = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const tall = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        if (wide > 1 && tall > 3 && !(slanted && other.slanted)) found.push(`"${words}" over "${other.words}"`);
      }
    });
  }
  return found;
}"""
