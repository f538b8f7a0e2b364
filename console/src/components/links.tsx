/** Mantine's links and buttons as links of the router, with typed addresses. */
import { Anchor, Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

export const AnchorLink = createLink(Anchor<'a'>);

/** If `component` were not set, it would be a button, which cannot be opened in another tab. */
const ButtonAnchor = (props: ButtonProps & Omit<ComponentProps<'a'>, keyof ButtonProps>) => (
  <Button component="a" {...props} />
);

export const ButtonLink = createLink(ButtonAnchor);
