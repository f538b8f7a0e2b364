/** Markdown of models and users. HTML in it is shown as text, links open in a new tab, and no image is loaded from another host. */
import { Anchor } from '@mantine/core';
import type { ComponentProps } from 'react';
import ReactMarkdown, { type Components, defaultUrlTransform } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { INLINE_IMAGE } from './inline-image.ts';

const PLUGINS = [remarkGfm];

/** Keeps inline images, and otherwise the URLs that react-markdown considers safe. */
const toUrl = (url: string, key: string): string =>
  key === 'src' && INLINE_IMAGE.test(url) ? url : defaultUrlTransform(url);

function Image({ src, alt }: ComponentProps<'img'>) {
  const url = typeof src === 'string' ? src : '';
  if (INLINE_IMAGE.test(url)) return <img src={url} alt={alt ?? ''} className="user-image" />;
  return <Link href={url}>{alt || url || 'image'}</Link>;
}

function Link({ href, children }: Pick<ComponentProps<'a'>, 'href' | 'children'>) {
  if (!href) return <span>{children}</span>;
  return (
    <Anchor href={href} target="_blank" rel="noreferrer" inherit underline="always">
      {children}
    </Anchor>
  );
}

const COMPONENTS: Components = {
  a: ({ href, children }) => <Link href={href}>{children}</Link>,
  img: ({ src, alt }) => <Image src={src} alt={alt} />,
  // The outline of the page must not be changed by what a model writes.
  h1: 'h4',
  h2: 'h4',
  h3: 'h5',
  h4: 'h5',
  h5: 'h6',
  table: ({ children }) => (
    // A block that scrolls has to be reachable with the keyboard.
    <div className="wide" tabIndex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  pre: ({ children }) => (
    // A block that scrolls has to be reachable with the keyboard.
    <pre tabIndex={0}>{children}</pre>
  ),
  input: ({ checked }) => <span>{checked ? '☑' : '☐'}</span>,
};

export function Markdown({ text }: { readonly text: string }) {
  return (
    <div className="markdown">
      <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS} urlTransform={toUrl}>
        {text}
      </ReactMarkdown>
    </div>
  );
}
