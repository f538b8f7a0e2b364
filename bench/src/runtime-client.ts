/** The measured operations on runtimes, over keep-alive connections. */
export interface RuntimeClient {
  requireProvider(): Promise<void>;
  create(key: string): Promise<void>;
  start(key: string): Promise<void>;
  exec(key: string): Promise<void>;
  pause(key: string): Promise<void>;
  resume(key: string): Promise<void>;
  delete(key: string): Promise<void>;
  /** Deletes the runtimes that were created and not deleted. */
  deleteAll(): Promise<void>;
}

interface Provider {
  readonly name: string;
  readonly available: boolean;
  readonly reason?: string;
}

/** @param provider of their sandboxes */
export function runtimeClient(origin: string, apiKey: string, provider = 'auto'): RuntimeClient {
  const organization = `${origin}/api/v1/org/main`;
  const runtimes = `${organization}/ws/main/runtimes`;
  const created = new Set<string>();
  const send = async (method: string, url: string, body?: object): Promise<unknown> => {
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const remove = async (key: string) => {
    await send('DELETE', `${runtimes}/${key}`);
    created.delete(key);
  };
  const change = (verb: string) => async (key: string) => {
    await send('POST', `${runtimes}/${key}/${verb}`);
  };
  return {
    requireProvider: async () => {
      const providers = (await send('GET', `${organization}/sandbox-providers`)) as Provider[];
      const wanted = providers.filter(({ name }) => provider === 'auto' || name === provider);
      if (wanted.some(({ available }) => available)) return;
      throw new Error(providers.map(({ name, reason }) => `${name}: ${reason}`).join('\n'));
    },
    create: async (key) => {
      created.add(key);
      await send('POST', runtimes, { key, config: { build: { provider } } });
    },
    start: change('start'),
    exec: async (key) => {
      const response = (await send('POST', `${runtimes}/${key}/exec`, { command: ['true'] })) as ExecResponse;
      if (response.exit_code !== 0)
        throw new Error(`a command ended with ${response.exit_code}: ${response.stderr}`);
    },
    pause: change('pause'),
    resume: change('resume'),
    delete: remove,
    deleteAll: async () => {
      for (const key of created) await remove(key);
    },
  };
}

interface ExecResponse {
  readonly exit_code: number;
  readonly stderr: string;
}
