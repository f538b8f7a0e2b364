import { ActionIcon, Menu, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconLogout, IconMoon, IconSun, IconUser } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { login } from '../api/client.ts';
import { showProblem } from '../components/show-problem.ts';
import { useLogin } from '../sign-in/use-login.ts';

export function UserMenu() {
  const state = useLogin();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const signOut = async () => {
    try {
      await login.logOut();
      queries.clear();
      await navigate({ to: '/sign-in' });
    } catch (error) {
      showProblem(error);
    }
  };
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label="User">
          <IconUser size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {'user' in state && <Menu.Label>{state.user.email_address}</Menu.Label>}
        <Menu.Item
          leftSection={scheme === 'dark' ? <IconSun size={16} /> : <IconMoon size={16} />}
          onClick={() => setColorScheme(scheme === 'dark' ? 'light' : 'dark')}
        >
          {scheme === 'dark' ? 'Light mode' : 'Dark mode'}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
