import { type CSSVariablesResolver, createTheme } from '@mantine/core';

/** Shades that keep a contrast of at least 4.5 on white and on the dark background. */
export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: 8,
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
  defaultRadius: 'sm',
  cursorType: 'pointer',
  autoContrast: true,
  // Dialogs appear at once for people whose system asks for less motion.
  respectReducedMotion: true,
  components: {
    // Titles in orange or yellow have a contrast of 2.5.
    Alert: { styles: { title: { color: 'var(--mantine-color-text)' } } },
    // Its grey on a dark background has a contrast of 3.5.
    Notification: {
      styles: { description: { color: 'var(--mantine-color-dimmed)' } },
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
    },
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
  },
});

/** Dimmed text and errors of fields with enough contrast; Mantine's own have 3.3. */
export const colors: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
  },
});
