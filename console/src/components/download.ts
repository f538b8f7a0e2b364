/** Saves text as a file of the user's. */
export function downloadText(name: string, text: string, type = 'text/plain'): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken the content over by then; without this it stays in memory as long as the page.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
