/** Lets a program without a browser, such as the CLI on a server, sign in as this user. */
import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { drydock } from '../api/client.ts';
import { CenteredCard } from './centered-card.tsx';
import { FormError } from './form-error.tsx';
import { useLogin } from './use-login.ts';

const route = getRouteApi('/device');

export function DevicePage() {
  const { user_code = '' } = route.useSearch();
  const state = useLogin();
  const [error, setError] = useState<unknown>();
  const [isDone, setDone] = useState(false);
  const form = useForm({ mode: 'uncontrolled', initialValues: { user_code } });
  const approve = async (request: { user_code: string }) => {
    setError(undefined);
    try {
      await drydock.device.approve({ user_code: request.user_code.trim().toUpperCase() });
      setDone(true);
    } catch (failure) {
      setError(failure);
    }
  };
  if (isDone)
    return (
      <CenteredCard title="The program is signed in">
        <Text role="status">You can close this page and return to the program.</Text>
      </CenteredCard>
    );
  return (
    <CenteredCard title="Sign in a program">
      <form onSubmit={form.onSubmit(approve)}>
        <Stack gap="sm">
          <Text size="sm">
            A program wants to sign in as <b>{'user' in state ? state.user.email_address : 'you'}</b>. Approve
            only if the program shows this code right now.
          </Text>
          <TextInput
            label="Code"
            autoFocus
            key={form.key('user_code')}
            {...form.getInputProps('user_code')}
          />
          <FormError error={error} />
          <Button type="submit" loading={form.submitting}>
            Approve
          </Button>
        </Stack>
      </form>
    </CenteredCard>
  );
}
