/** The page of an invitation: new users sign up, and users with an account sign in to join. */
import { SegmentedControl, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { login } from '../api/client.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { CenteredCard } from './centered-card.tsx';
import { SignInForm } from './sign-in-form.tsx';

const route = getRouteApi('/invitation');

export function InvitationPage() {
  const { token } = route.useSearch();
  const navigate = useNavigate();
  const [mode, setMode] = useState<'new' | 'known'>('new');
  if (token === undefined)
    return (
      <EmptyState title="This link is incomplete">Open the complete link from your invitation.</EmptyState>
    );
  return (
    <CenteredCard title="Accept the invitation">
      <SegmentedControl
        fullWidth
        mb="md"
        aria-label="Do you have an account?"
        value={mode}
        onChange={(value) => setMode(value === 'known' ? 'known' : 'new')}
        data={[
          { value: 'new', label: 'New account' },
          { value: 'known', label: 'I have an account' },
        ]}
      />
      <SignInForm
        key={mode}
        label={mode === 'new' ? 'Create the account and join' : 'Sign in and join'}
        isNewPassword={mode === 'new'}
        onSubmit={async (credentials) => {
          const request = { ...credentials, invitation_token: token };
          await (mode === 'new' ? login.signUp(request) : login.logIn(request));
          await navigate({ to: '/' });
        }}
      />
      <Text size="xs" c="dimmed" mt="md">
        Use the e-mail address that the invitation was sent to.
      </Text>
    </CenteredCard>
  );
}
