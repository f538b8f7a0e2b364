/** The stylesheet of the HTML report. Dark mode is for screens only, so that prints are dark on white. */
export const STYLE = `
:root { --text: #1b1f24; --muted: #57606a; --page: #ffffff; --panel: #f6f8fa; --line: #d0d7de; --bar: #2f6fb3; --heat: #b42318;
  --strong: #ffffff; --critical: #8e1b1b; --high: #c2410c; --medium: #a16207; --low: #2f6fb3; --info: #6b7280; --link: #1558a8; }
@media screen and (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --muted: #9da7b1; --page: #0d1117; --panel: #161b22; --line: #30363d; --bar: #58a6ff; --heat: #ff7b72;
    --strong: #0d1117; --critical: #ff7b72; --high: #ffa657; --medium: #e3b341; --low: #58a6ff; --info: #8b949e; --link: #79b8ff; }
}
* { box-sizing: border-box; }
html { color-scheme: light dark; }
body { margin: 0 auto; padding: 32px 24px 64px; max-width: 900px; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 8px; }
h2 { font-size: 20px; margin: 40px 0 12px; padding-bottom: 4px; border-bottom: 1px solid var(--line); }
h3 { font-size: 16px; margin: 24px 0 8px; }
h1, h2, h3, td, dd, li { overflow-wrap: anywhere; unicode-bidi: isolate; }
a { color: var(--link); }
.verdict { font-size: 17px; font-weight: 600; border-left: 4px solid var(--bar); padding: 8px 12px; background: var(--panel); }
.verdict.critical { border-color: var(--critical); } .verdict.high { border-color: var(--high); }
.verdict.medium { border-color: var(--medium); }
dl { display: grid; grid-template-columns: minmax(140px, 240px) 1fr; gap: 4px 16px; margin: 12px 0; }
dt { color: var(--muted); } dd { margin: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: 12px 0; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: 5px 8px; border-bottom: 1px solid var(--line); }
th { color: var(--muted); font-weight: 600; }
td:first-child { min-width: 9em; }
pre { margin: 4px 0 12px; padding: 10px 12px; background: var(--panel); border: 1px solid var(--line); border-radius: 6px;
  font: 13px/1.45 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
figure { margin: 12px 0; } figcaption { color: var(--muted); font-size: 13px; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, "Segoe UI", Roboto, Arial, sans-serif; }
svg text { fill: var(--text); } svg .muted { fill: var(--muted); } svg .on-strong { fill: var(--strong); }
.grid { stroke: var(--line); } .bar { fill: var(--bar); } .whisker { stroke: var(--text); stroke-width: 1.5; }
.cell { fill: var(--panel); } .heat { fill: var(--heat); }
.critical { fill: var(--critical); } .high { fill: var(--high); } .medium { fill: var(--medium); } .low { fill: var(--low); }
.info { fill: var(--info); }
@page { margin: 16mm; }
@media print {
  body { padding: 0; max-width: none; font-size: 11pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  h1, h2, h3, dt, th, .name { break-after: avoid; }
  figure, tr, dl, .verdict { break-inside: avoid; }
  .new-page { break-before: page; }
  thead { display: table-header-group; }
  .scroll { overflow: visible; }
  a { color: inherit; }
}
`;
