/** Highlights the searched text with the CSS Custom Highlight API, which marks ranges of text without changing the DOM. */
import { type RefObject, useEffect } from 'react';

const NAME = 'search-hit';
/** The rows on a screen have a few hits, but a search for a single letter could have thousands. */
const MAX_RANGES = 500;

export function useHighlight(container: RefObject<HTMLElement | null>, q: string, changes: unknown): void {
  // The text that is marked changes with what is shown.
  useEffect(() => {
    const root = container.current;
    if (!('highlights' in CSS) || q === '' || !root) return undefined;
    CSS.highlights.set(NAME, new Highlight(...findRanges(root, q.toLowerCase())));
    return () => {
      CSS.highlights.delete(NAME);
    };
  }, [container, q, changes]);
}

function findRanges(root: HTMLElement, needle: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < MAX_RANGES; node = walker.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase();
    for (
      let at = text.indexOf(needle);
      at >= 0 && ranges.length < MAX_RANGES;
      at = text.indexOf(needle, at + needle.length)
    ) {
      // A few characters become longer in lower case, which shifts positions.
      if (at + needle.length > (node.nodeValue ?? '').length) break;
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + needle.length);
      ranges.push(range);
    }
  }
  return ranges;
}
