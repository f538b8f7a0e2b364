import { Anchor, Modal, Text } from '@mantine/core';
import { login } from '../api/client.ts';
import { SignInForm } from './sign-in-form.tsx';
import { useLogin } from './use-login.ts';

/** Asks for the password in a dialog when the sign-in has expired. The page stays as it is, and its requests wait. */
export function SignInAgain() {
  const state = useLogin();
  if (state.status !== 'expired') return null;
  return (
    <Modal
      opened
      onClose={() => undefined}
      title="Sign in again"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      centered
    >
      <Text size="sm" mb="sm">
        Your sign-in has expired. Nothing that you typed is lost.
      </Text>
      <SignInForm
        label="Sign in"
        email={state.user.email_address}
        isEmailFixed
        onSubmit={(credentials) => login.logIn(credentials)}
      />
      <Anchor href="/sign-in" size="sm" mt="md" display="inline-block">
        Leave this page and sign in as another user
      </Anchor>
    </Modal>
  );
}
