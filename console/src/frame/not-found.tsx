import { EmptyState } from '../components/empty-state.tsx';
import { AnchorLink } from '../components/links.tsx';

export const NotFound = () => (
  <EmptyState title="Page not found">
    Check the address for typing errors. <AnchorLink to="/">Go to the overview</AnchorLink>
  </EmptyState>
);
