/** Lets the user save a text as a file. */
export function downloadText(name: string, text: string, type = 'text/plain'): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has started by then. Without this, the content stays in memory until the page is closed.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
