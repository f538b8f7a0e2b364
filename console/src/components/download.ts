/** Lets the user save content as a file. */
export function downloadFile(name: string, content: BlobPart, type = 'text/plain'): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download has already started. If the URL were not revoked, the content would stay in memory until the page is closed.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
