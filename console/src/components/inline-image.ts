/**
 * Matches an image that is part of a text, as a `data:` URL. Only such images are shown: loading one from another host would tell that
 * host which user reads the text.
 */
export const INLINE_IMAGE = /^data:image\/(png|jpeg|gif|webp|avif)[;,]/i;
