import { EmptyState } from '../components/empty-state.tsx';
import { AnchorLink } from '../components/links.tsx';

export const NotFound = () => (
  <EmptyState title="There is no such page">
    The address may be mistyped. <AnchorLink to="/">Go to the overview</AnchorLink>
  </EmptyState>
);
