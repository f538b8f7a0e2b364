/** Keys that are easily mangled on the way. */

/** Everything that a key may hold, but for `.` and `..` between slashes. */
export const ODD_KEYS = [
  'ünïcode-日本語-🚢.txt',
  'e\u0301 is not é',
  'a+b c.txt',
  ' spaces at both ends ',
  'double//slash///here',
  '/begins with one',
  'folder/',
  'percent%20is%2Fliteral%',
  'quotes"\'`',
  'amp&amp;<tag>.xml',
  'marks?#;:=@,$!*()[]{}|^~\\',
  'tab\tline\nreturn\rdelete\u007f',
  'control\u0001\u001f',
  'separators\u0085\u2028\u2029',
  'dots.../..x/x../...',
  'https://example.com/?a=b&c=d',
];
