/** Keys that go wrong where one of the many hands that they pass through encodes, normalises or trims. */

/** Relative to a prefix. Each is also the name of a file, so that whole folders of them can be sent. */
export const ODD_NAMES = [
  'plain.txt',
  'with space',
  ' leading space',
  'trailing space ',
  '  two  spaces  inside  ',
  'a+b plus.txt',
  'ampersand & lower < greater > .xml',
  '"double" and \'single\' quotes',
  '100% percent %20 %2F %zz',
  '#hash',
  'question?mark=1&x=2',
  'equals=sign;semicolon',
  '~tilde~',
  'back\\slash',
  'colon:comma,at@dollar$',
  '(brackets)[square]{curly}',
  'caret^pipe|backtick`',
  'star*bang!',
  '-dash first',
  '.hidden',
  '...three dots',
  'dots.../..x/x../...',
  'entity &amp; <tag>.xml',
  'ümläut/straße.txt',
  '日本語/ファイル.txt',
  'עברית العربية',
  'emoji 🦀👩‍👩‍👧‍👦.png',
  // The same to the eye; four keys to S3.
  'precomposed-\u00e9',
  'combining-e\u0301',
  'same-\u00e9',
  'same-e\u0301',
  'no-break\u00a0space and zero\u200bwidth',
  'private \ue000 and last \uffee 𐀀', // UTF-16 orders these otherwise than UTF-8
  `deep/${'a/'.repeat(40)}leaf`,
] as const;

/** Those that are no names of files. */
export const UNFILED_KEYS = ['double//slash', '/leading slash', 'ends with a slash/'] as const;

/** Everything that a key may hold, but for `.` and `..` between slashes. */
export const ODD_KEYS: readonly string[] = [
  ...ODD_NAMES,
  ...UNFILED_KEYS,
  'https://example.com///?a=b&c=d',
  'tab\tline\nreturn\rdelete\u007f',
  'control\u0001\u001f',
  'separators\u0085\u2028\u2029',
];

/** A key of so many bytes altogether, in names that a file system takes. */
export function longKey(prefix: string, bytes: number): string {
  const missing = bytes - Buffer.byteLength(prefix);
  const name = `${'n'.repeat(199)}/`;
  return prefix + name.repeat(Math.floor((missing - 1) / name.length)).padEnd(missing, 'k');
}
