import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './theme.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type ComponentType, StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query-client.ts';
import { showProblem } from './components/show-problem.ts';
import { router } from './router.tsx';
import { useLogin } from './sign-in/use-login.ts';
import { colors, theme } from './theme.ts';

/** The dialog is loaded this long after the page, so that it is there even when a newer console has replaced its file on the server. */
const LOAD_AFTER_MS = 20_000;

const loadDialog = async () => (await import('./sign-in/sign-in-again.tsx')).SignInAgain;

/** Shows the dialog of an expired sign-in, which is not part of the first load. */
function SignInAgainLoader() {
  const isExpired = useLogin().status === 'expired';
  const [Dialog, setDialog] = useState<ComponentType>();
  useEffect(() => {
    const load = (onError: (error: unknown) => void) =>
      void loadDialog().then((loaded) => setDialog(() => loaded), onError);
    if (isExpired) return load(showProblem);
    // A failure is shown when the dialog is needed.
    const timer = setTimeout(() => load(() => undefined), LOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isExpired]);
  return isExpired && Dialog && <Dialog />;
}

const root = document.getElementById('root');
if (!root) throw new Error('The page has no element "root".');

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={colors} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-right" />
        <RouterProvider router={router} />
        <SignInAgainLoader />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
