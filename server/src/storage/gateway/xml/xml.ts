/** Writes XML elements from names and text, escaped so that every key is preserved. */

const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';
export const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

// oxlint-disable-next-line no-control-regex -- these are the ones to be written as references
const SPECIAL = /[&<>"\u0000-\u001f\u007f-\u009f\u2028\ufffe\uffff]/;
const EVERY_SPECIAL = new RegExp(SPECIAL, 'g');
const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeXml(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.replace(EVERY_SPECIAL, (character) => NAMED[character] ?? toReference(character));
}

const toReference = (character: string) => `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`;

type Value = string | number | boolean | undefined;

/** Returns an element with text, or nothing if there is no value. */
export function textElement(name: string, value: Value): string {
  if (value === undefined) return '';
  return `<${name}>${typeof value === 'string' ? escapeXml(value) : value}</${name}>`;
}

/** @param content serialized elements */
export function element(name: string, content: readonly string[]): string {
  return `<${name}>${content.join('')}</${name}>`;
}

export function xmlDocument(name: string, content: readonly string[], namespace = NAMESPACE): string {
  return `${DECLARATION}<${name} xmlns="${namespace}">${content.join('')}</${name}>`;
}
