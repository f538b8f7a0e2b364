import { Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { login } from '../api/client.ts';
import { CenteredCard } from './centered-card.tsx';
import { SignInForm } from './sign-in-form.tsx';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { to = '/' } = route.useSearch();
  const navigate = useNavigate();
  return (
    <CenteredCard title="Sign in">
      <SignInForm
        label="Sign in"
        onSubmit={async (credentials) => {
          await login.logIn(credentials);
          await navigate({ href: to });
        }}
      />
      <Text size="xs" c="dimmed" mt="md">
        First sign-in? The server printed the e-mail address and the password of its owner when it first
        started.
      </Text>
    </CenteredCard>
  );
}
