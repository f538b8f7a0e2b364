/** Mantine's links and buttons as links of the router, with typed addresses. */
import { Anchor, Button } from '@mantine/core';
import { createLink } from '@tanstack/react-router';

export const AnchorLink = createLink(Anchor<'a'>);

export const ButtonLink = createLink(Button<'a'>);
