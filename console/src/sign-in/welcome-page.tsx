/** The first page of a new user: a username, and an organization of their own where they were not invited to one. */
import { Button, Checkbox, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { drydock, login } from '../api/client.ts';
import { toFieldErrors } from '../api/problem.ts';
import { CenteredCard } from './centered-card.tsx';
import { FormError } from './form-error.tsx';
import { useLogin } from './use-login.ts';

export function WelcomePage() {
  const state = useLogin();
  const navigate = useNavigate();
  const [error, setError] = useState<unknown>();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: {
      username: 'user' in state ? state.user.username : '',
      org_name: '',
      email_opt_in: false,
    },
  });
  const complete = async ({ username, org_name, email_opt_in }: typeof form.values) => {
    setError(undefined);
    try {
      const request = {
        username,
        email_opt_in,
        ...(org_name.trim() !== '' && { org_name: org_name.trim() }),
      };
      login.setUser(await drydock.user.completeOnboarding(request));
      await navigate({ to: '/' });
    } catch (failure) {
      form.setErrors(toFieldErrors(failure));
      setError(failure);
    }
  };
  if ('user' in state && state.user.onboarding_complete)
    return (
      <CenteredCard title="You are not in an organization">
        <Text size="sm">
          Ask a member of an organization to invite {state.user.email_address}, and open the link.
        </Text>
      </CenteredCard>
    );
  return (
    <CenteredCard title="Welcome">
      <form onSubmit={form.onSubmit(complete)}>
        <Stack gap="sm">
          <TextInput
            label="Username"
            description="3 to 39 lower-case letters, digits and inner dashes"
            autoFocus
            key={form.key('username')}
            {...form.getInputProps('username')}
          />
          <TextInput
            label="Organization"
            description="Leave it empty if you were invited to one."
            key={form.key('org_name')}
            {...form.getInputProps('org_name')}
          />
          <Checkbox
            label="Send me news about Drydock by e-mail"
            key={form.key('email_opt_in')}
            {...form.getInputProps('email_opt_in', { type: 'checkbox' })}
          />
          <FormError error={error} />
          <Button type="submit" loading={form.submitting}>
            Continue
          </Button>
        </Stack>
      </form>
    </CenteredCard>
  );
}
