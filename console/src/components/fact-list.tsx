/** Names and values as a definition list. Empty values are left out. */
import { Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';

export type Fact = readonly [name: string, value: ReactNode];

export function FactList({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <Fragment key={name}>
            <Text component="dt" size="xs" c="dimmed">
              {name}
            </Text>
            <Text component="dd" size="sm" className="user-text">
              {value}
            </Text>
          </Fragment>
        ))}
    </dl>
  );
}
