/** The values of the form for a new runtime, and the API request that is made of them. */
import type { RuntimeCreateRequest } from '@drydock/sdk';
import { createFormContext } from '@mantine/form';
import type { PlacedErrors } from '../../components/create-form.tsx';

/** A number field that is empty has an empty string as its value. */
type NumberField = number | string;

export interface NewRuntimeValues {
  name: string;
  key: string;
  description: string;
  project: string;
  /** Each is `name` or `name@version`. */
  capabilities: string[];
  cpu_cores: NumberField;
  memory_mb: NumberField;
  minutes: NumberField;
  egress_allow: string[];
  exposed_ports: string[];
  platform_access: 'none' | 'inference' | 'full';
  spend_limit_usd: NumberField;
  /** Lines of `NAME=value`. */
  env: string;
}

export const [NewRuntimeFormProvider, useNewRuntime, useNewRuntimeForm] =
  createFormContext<NewRuntimeValues>();

export const INITIAL_VALUES: NewRuntimeValues = {
  name: '',
  key: '',
  description: '',
  project: '',
  capabilities: [],
  cpu_cores: '',
  memory_mb: '',
  minutes: '',
  egress_allow: [],
  exposed_ports: [],
  platform_access: 'none',
  spend_limit_usd: '',
  env: '',
};

const ENV_LINE = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/;

const toLines = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line.trim() !== '' && !line.trimStart().startsWith('#'));

/** What the browser can tell before anything is sent. The rest is checked by the API. */
export const validate = {
  name: (name: string) => (name.trim() === '' ? 'Give the runtime a name.' : null),
  exposed_ports: (ports: readonly string[]) => {
    const wrong = ports.find((port) => !/^\d{1,5}$/.test(port));
    return wrong === undefined ? null : `“${wrong}” is not a port. Enter a number from 1 to 65535.`;
  },
  env: (env: string) => {
    const wrong = toLines(env).find((line) => !ENV_LINE.test(line));
    return wrong === undefined
      ? null
      : `“${wrong.slice(0, 40)}” is not a variable. Write one NAME=value per line.`;
  },
};

function toCapability(text: string) {
  const at = text.lastIndexOf('@');
  return at > 0 ? { name: text.slice(0, at), version: text.slice(at + 1) } : { name: text };
}

const toEnv = (text: string): Record<string, string> =>
  Object.fromEntries(
    toLines(text).map((line) => {
      const [, name = '', value = ''] = ENV_LINE.exec(line) ?? [];
      return [name, value];
    }),
  );

/** Omits empty fields, so that the platform's defaults apply and only explicitly requested limits must be enforced. */
const numbersOf = <Name extends string>(fields: Readonly<Record<Name, NumberField>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== '')) as Partial<
    Record<Name, number>
  >;

export function toRequest(values: NewRuntimeValues): RuntimeCreateRequest {
  const { name, key, description, project, minutes, cpu_cores, memory_mb, platform_access } = values;
  return {
    name: name.trim(),
    ...(key.trim() !== '' && { key: key.trim() }),
    ...(description.trim() !== '' && { description: description.trim() }),
    ...(project !== '' && { project }),
    config: {
      ...(values.capabilities.length > 0 && { capabilities: values.capabilities.map(toCapability) }),
      resources: numbersOf({ cpu_cores, memory_mb }),
      runtime_server: { env: toEnv(values.env) },
      sandbox: {
        ...(values.egress_allow.length > 0 && { egress_allow: values.egress_allow }),
        exposed_ports: values.exposed_ports.map(Number),
        ...(platform_access !== 'none' && {
          platform_access,
          ...numbersOf({ spend_limit_usd: values.spend_limit_usd }),
        }),
        ...(minutes !== '' && { timeout_seconds: Number(minutes) * 60 }),
      },
    },
  };
}

/** The fields that show errors of the API, by the path in the request. */
const PLACES: readonly (readonly [path: RegExp, field: keyof NewRuntimeValues])[] = [
  [/^(name|key|description|project)$/, 'name'],
  [/^config\.capabilities\b/, 'capabilities'],
  [/^config\.resources\.cpu_cores$/, 'cpu_cores'],
  [/^config\.resources\b/, 'memory_mb'],
  [/^config\.runtime_server\b/, 'env'],
  [/^config\.sandbox\.egress_allow\b/, 'egress_allow'],
  [/^config\.sandbox\.exposed_ports\b/, 'exposed_ports'],
  [/^config\.sandbox\.platform_access$/, 'platform_access'],
  [/^config\.sandbox\.spend_limit_usd$/, 'spend_limit_usd'],
  [/^config\.sandbox\.timeout_seconds$/, 'minutes'],
];

export function placeErrors(errors: Readonly<Record<string, string>>): PlacedErrors {
  const fields: Record<string, string> = {};
  const others: string[] = [];
  for (const [path, message] of Object.entries(errors)) {
    const found = PLACES.find(([pattern]) => pattern.test(path))?.[1];
    const field = found === 'name' ? path : found;
    if (field) fields[field] = [fields[field], message].filter(Boolean).join(' ');
    else others.push(path === '' ? message : `${path}: ${message}`);
  }
  return { fields, others };
}
