/** Keys that break when any layer encodes, normalises or trims them. */

/** Relative to a prefix. Each is also a valid file name, so that whole folders of them can be sent. */
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
  // These look the same, but are four different keys in S3.
  'precomposed-\u00e9',
  'combining-e\u0301',
  'same-\u00e9',
  'same-e\u0301',
  'no-break\u00a0space and zero\u200bwidth',
  'private \ue000 and last \uffee 𐀀', // UTF-16 orders these differently from UTF-8
  `deep/${'a/'.repeat(40)}leaf`,
] as const;

/** Keys that are not valid file names. */
export const UNFILED_KEYS = ['double//slash', '/leading slash', 'ends with a slash/'] as const;

/** All characters that a key may hold; `.` and `..` segments are excluded. */
export const ODD_KEYS: readonly string[] = [
  ...ODD_NAMES,
  ...UNFILED_KEYS,
  'https://example.com///?a=b&c=d',
  'tab\tline\nreturn\rdelete\u007f',
  'control\u0001\u001f',
  'separators\u0085\u2028\u2029',
];

/** A key of this total length in bytes, with segments that a file system accepts. */
export function longKey(prefix: string, bytes: number): string {
  const missing = bytes - Buffer.byteLength(prefix);
  const name = `${'n'.repeat(199)}/`;
  return prefix + name.repeat(Math.floor((missing - 1) / name.length)).padEnd(missing, 'k');
}
