import { useSyncExternalStore } from 'react';
import { login } from '../api/client.ts';
import type { LoginState } from '../api/login.ts';

export const useLogin = (): LoginState => useSyncExternalStore(login.subscribe, login.getState);
