/** E-mail and password, for the sign-in page, an invitation, and a sign-in that has expired. */
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { toFieldErrors } from '../api/problem.ts';
import { FormError } from './form-error.tsx';

export interface Credentials {
  readonly email_address: string;
  readonly password: string;
}

interface SignInFormProps {
  readonly label: string;
  readonly email?: string;
  /** The page belongs to this user. */
  readonly isEmailFixed?: boolean;
  readonly isNewPassword?: boolean;
  readonly onSubmit: (credentials: Credentials) => Promise<void>;
}

export function SignInForm({
  label,
  email = '',
  isEmailFixed = false,
  isNewPassword = false,
  onSubmit,
}: SignInFormProps) {
  const [error, setError] = useState<unknown>();
  const form = useForm<{ email_address: string; password: string }>({
    mode: 'uncontrolled',
    initialValues: { email_address: email, password: '' },
    validate: {
      email_address: (value) => (value.includes('@') ? null : 'Enter an e-mail address.'),
      password: (value) => (value === '' ? 'Enter the password.' : null),
    },
  });
  const submit = async (credentials: Credentials) => {
    setError(undefined);
    try {
      await onSubmit(credentials);
    } catch (failure) {
      form.setErrors(toFieldErrors(failure));
      setError(failure);
    }
  };
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack gap="sm">
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          data-autofocus
          autoFocus={email === ''}
          readOnly={isEmailFixed}
          key={form.key('email_address')}
          {...form.getInputProps('email_address')}
        />
        <PasswordInput
          label="Password"
          autoComplete={isNewPassword ? 'new-password' : 'current-password'}
          autoFocus={email !== ''}
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <FormError error={error} />
        <Button type="submit" loading={form.submitting}>
          {label}
        </Button>
      </Stack>
    </form>
  );
}
