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
  components: {
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true } },
  },
});

/** Dimmed text with enough contrast; Mantine's own has 3.3. */
export const colors: CSSVariablesResolver = () => ({
  variables: {},
  light: { '--mantine-color-dimmed': 'var(--mantine-color-gray-7)' },
  dark: { '--mantine-color-dimmed': 'var(--mantine-color-dark-1)' },
});
