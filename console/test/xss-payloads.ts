/** Text of users that would run as a program if a page took it for HTML, and how a page is searched for it. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Code that each payload runs if it is interpreted. */
const RUN = 'window.__xss=1';
const DATA_HTML = `data:text/html,<script>opener.${RUN}</script>`;
const BASE64 = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="${RUN}"/>`).toString('base64');

export const PAYLOADS = [
  `<script>${RUN}</script>`,
  `<ScRiPt>${RUN}</sCrIpT>`,
  `<script src="data:text/javascript,${RUN}"></script>`,
  `<script type="module">${RUN}</script>`,
  `</script><script>${RUN}</script>`,
  `</title><script>${RUN}</script>`,
  `</textarea><script>${RUN}</script>`,
  `</pre></code><script>${RUN}</script>`,
  `<!--><script>${RUN}</script>-->`,
  `<![CDATA[<script>${RUN}</script>]]>`,
  `<img src=x onerror=${RUN}>`,
  `<img src=x onerror="${RUN}" />`,
  `<img/src/onerror=${RUN}>`,
  `<image href=x onerror=${RUN}>`,
  `<svg onload=${RUN}>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<svg><a xlink:href="javascript:${RUN}"><text y=20>x</text></a></svg>`,
  `<math><mtext></form><form><mglyph><style></math><img src=x onerror=${RUN}>`,
  `<body onload=${RUN}>`,
  `<body onpageshow=${RUN}>`,
  `<iframe src="javascript:parent.${RUN}"></iframe>`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<object data="javascript:${RUN}"></object>`,
  `<embed src="javascript:${RUN}">`,
  `<details open ontoggle=${RUN}><summary>x</summary></details>`,
  `<video><source onerror=${RUN}></video>`,
  `<audio src=x onerror=${RUN}></audio>`,
  `<input autofocus onfocus=${RUN}>`,
  `<select autofocus onfocus=${RUN}></select>`,
  `<marquee onstart=${RUN}>x</marquee>`,
  `<form action="javascript:${RUN}"><button>x</button></form>`,
  `<button formaction="javascript:${RUN}">x</button>`,
  `<a href="javascript:${RUN}">x</a>`,
  `<a href="java&#x73;cript:${RUN}">x</a>`,
  `<link rel=stylesheet href="javascript:${RUN}">`,
  `<meta http-equiv="refresh" content="0;url=javascript:${RUN}">`,
  `<base href="javascript:${RUN}//">`,
  `<style>@import 'javascript:${RUN}';</style>`,
  `<div style="background:url(javascript:${RUN})">x</div>`,
  `<template><script>${RUN}</script></template>`,
  `<x onclick=${RUN} tabindex=1 autofocus onfocus=${RUN}>x</x>`,
  `" onmouseover="${RUN}" x="`,
  `' onfocus='${RUN}' autofocus='`,
  `"><script>${RUN}</script>`,
  `'><img src=x onerror=${RUN}>`,
  `\`\${${RUN}}\``,
  `{{constructor.constructor('${RUN}')()}}`,
  `\${${RUN}}`,
  `<%= ${RUN} %>`,
  `javascript:${RUN}`,
  `[x](javascript:${RUN})`,
  `[x](JaVaScRiPt:${RUN})`,
  `[x](java\tscript:${RUN})`,
  `[x](<javascript:${RUN}>)`,
  `[x](vbscript:${RUN})`,
  `[x](${DATA_HTML})`,
  `![x](javascript:${RUN})`,
  `![x](data:image/svg+xml;base64,${BASE64})`,
  `![x](x" onerror="${RUN})`,
  `<javascript:${RUN}>`,
  `[x]: javascript:${RUN}\n\n[x]`,
  `\`\`\`"><script>${RUN}</script>\nx\n\`\`\``,
  `| a |\n|---|\n| <img src=x onerror=${RUN}> |`,
];

/** Elements and attributes that would run code, and that none of our pages has. */
const FIND_DANGER = `[...document.querySelectorAll('#root *, body > *')].flatMap((element) => {
  const isForeign = element.matches('script:not([src^="/assets/"]), iframe, object, embed, base, marquee, meta');
  const isArmed = [...element.attributes].some(
    ({ name, value }) => /^on/i.test(name) || /^\\s*(javascript|vbscript|data:text)/i.test(value),
  );
  return (isForeign || isArmed) && !element.matches('input, textarea') ? [element.outerHTML.slice(0, 200)] : [];
})`;

export async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate(FIND_DANGER)).toEqual([]);
  expect(await page.evaluate(`'__xss' in window`)).toBe(false);
}
