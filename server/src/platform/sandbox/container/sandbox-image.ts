/**
 * The image of sandboxes: the configured one, plus a user and folders owned by that user. Built once per image and cached by the engine, so
 * that a start does none of it.
 */
import { createHash, randomBytes } from 'node:crypto';
import type Docker from 'dockerode';
import { ApiError } from '../../errors.ts';
import { readOwnMark } from '../process-table.ts';
import type { Engine } from './engine/engine.ts';
import { CAPABILITY_FOLDERS, LABEL, type Ownership } from './ownership.ts';

export interface ImageSettings {
  readonly image: string | undefined;
  /** True to pull an image that the engine does not have. */
  readonly pull: boolean;
}

export interface SandboxImage {
  readonly name: string;
  /** Environment set by the image. */
  readonly environment: Readonly<Record<string, string>>;
}

const REPOSITORY = 'drydock-sandbox';
/** Version of the build below: change it when the same base image would give another result. */
const LAYOUT = '1';
const PULL_TIMEOUT_MS = 600_000;
const MAKE_TIMEOUT_MS = 120_000;

/** Programs required by commands and files; GNU's find, head, realpath, sort and stat, as in most distributions. */
const PROGRAMS =
  'sh sleep setpriv setsid cat cp chmod chown find head ln mkdir mv readlink realpath rm rmdir sort stat sync tail truncate';

/**
 * Script run as root in the image, with `$1` `workspace` or nothing. Prints missing programs, and exits with 3; otherwise gives the durable
 * folders to the user, which the image may know by another name, or its id as another user.
 */
const MAKE = `
missing=
for program in ${PROGRAMS}; do command -v "$program" >/dev/null 2>&1 || missing="$missing $program"; done
if [ -z "$missing" ]; then
  find / -maxdepth 0 -printf '' 2>/dev/null && : | sort -z && : | head -z -n 1 && realpath -m / || missing=' the-tools-of-GNU'
fi
[ -z "$missing" ] || { echo "missing:$missing"; exit 3; }
set -e
umask 022
mkdir -p /etc /tmp /run /home/user /opt /usr/local/bin /usr/local/lib /usr/local/share
for name in cache lib local log mail opt spool tmp; do mkdir -p "/var/$name"; done
# What is mounted over them has their mode.
chmod 1777 /tmp /run
# What a sandbox that was given no capabilities sees of them. Versions are not to be listed: what is shown is what a link leads to.
rm -rf ${CAPABILITY_FOLDERS.capabilities} ${CAPABILITY_FOLDERS.versions}
mkdir ${CAPABILITY_FOLDERS.capabilities} ${CAPABILITY_FOLDERS.versions}
chmod 711 ${CAPABILITY_FOLDERS.versions}
echo '[]' >${CAPABILITY_FOLDERS.capabilities}/bindings.json
chmod 444 ${CAPABILITY_FOLDERS.capabilities}/bindings.json
others() {
  [ -f "$1" ] || return 0
  while IFS=: read -r name secret id rest; do
    [ "$name" = user ] || [ "$id" = 1000 ] || [ -z "$name" ] || printf '%s:%s:%s:%s\\n' "$name" "$secret" "$id" "$rest"
  done <"$1"
}
{ others /etc/passwd; echo 'user:x:1000:1000:user:/home/user:/bin/sh'; } >/etc/passwd.drydock
{ others /etc/group; echo 'user:x:1000:'; } >/etc/group.drydock
mv /etc/passwd.drydock /etc/passwd
mv /etc/group.drydock /etc/group
find /home/user /opt /usr/local /var -xdev -type d -exec chown 1000:1000 {} +
if [ "$1" = workspace ]; then mkdir -p /workspace; chown 1000:1000 /workspace; chmod 700 /workspace; fi
`;

/** @throws {ApiError} that says what is missing, and what to do */
export async function provideImage(
  engine: Engine,
  ownership: Ownership,
  { image, pull }: ImageSettings,
  hasWorkspace: boolean,
): Promise<SandboxImage> {
  const base = await findBase(engine, image, pull);
  const key = [LAYOUT, base.Id, String(hasWorkspace), MAKE].join('\n');
  const tag = createHash('sha256').update(key).digest('hex').slice(0, 20);
  const name = `${REPOSITORY}:${tag}`;
  const found = await findImage(engine, name);
  if (!found) await make(engine, ownership, base.Id, tag, hasWorkspace);
  return { name, environment: toEnvironment(base.Config?.Env ?? []) };
}

const findImage = (engine: Engine, name: string) =>
  engine.find((docker, abortSignal) => {
    return docker.getImage(name).inspect({ abortSignal } as Docker.ImageInspectOptions);
  });

const toEnvironment = (entries: readonly string[]) =>
  Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );

async function findBase(engine: Engine, image: string | undefined, pull: boolean) {
  if (image === undefined) {
    const detail =
      'No image is configured for containers. Set DRYDOCK_CONTAINER_IMAGE to one that the engine has.';
    throw new ApiError('sandbox_provider_error', detail);
  }
  const found = await findImage(engine, image);
  if (found) return found;
  if (pull) {
    await pullImage(engine, image);
    const pulled = await findImage(engine, image);
    if (pulled) return pulled;
  }
  const detail = `The engine has no image ${image}, which DRYDOCK_CONTAINER_IMAGE names. Build or pull it, or set DRYDOCK_CONTAINER_PULL=1.`;
  throw new ApiError('sandbox_provider_error', detail);
}

async function pullImage(engine: Engine, image: string): Promise<void> {
  // A pull without a tag would fetch all tags.
  const whole = /[:@][^/]*$/.test(image) ? image : `${image}:latest`;
  await engine.call(async (docker, abortSignal) => {
    const progress = await docker.createImage({ fromImage: whole, abortSignal });
    await new Promise<void>((pulled, failed) => {
      docker.modem.followProgress(progress, (error, steps: { error?: string }[]) => {
        const complaint = error?.message ?? steps.find((step) => step.error)?.error;
        if (complaint === undefined) pulled();
        else failed(new ApiError('sandbox_provider_error', `${image} cannot be pulled: ${complaint}`));
      });
    });
  }, PULL_TIMEOUT_MS);
}

async function make(
  engine: Engine,
  ownership: Ownership,
  base: string,
  tag: string,
  hasWorkspace: boolean,
): Promise<void> {
  const output = await runHelper(
    engine,
    ownership,
    {
      Image: base,
      Entrypoint: ['sh', '-c'],
      Cmd: [MAKE, 'sh', hasWorkspace ? 'workspace' : ''],
      HostConfig: { CapAdd: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER'] },
    },
    {
      timeoutMs: MAKE_TIMEOUT_MS,
      after: (container) =>
        engine.call((_docker, abortSignal) => {
          return container.commit({ repo: REPOSITORY, tag, pause: false, abortSignal });
        }, MAKE_TIMEOUT_MS),
    },
  );
  if (output.code === 0) return;
  const missing = /missing:(.*)/.exec(output.text)?.[1]?.trim();
  const detail =
    missing === undefined
      ? `No sandboxes can be made of the image of DRYDOCK_CONTAINER_IMAGE: ${output.text.trim().slice(-300)}`
      : `The image of DRYDOCK_CONTAINER_IMAGE has no ${missing.replaceAll(' ', ', ')}. Install them in it: coreutils, findutils, util-linux, and bash and socat for what people expect.`;
  throw new ApiError('sandbox_provider_error', detail);
}

export interface HelperWork {
  readonly timeoutMs: number;
  /** Runs before the container is started. */
  readonly before?: (container: Docker.Container) => Promise<unknown>;
  /** Runs after the container has ended successfully. */
  readonly after?: (container: Docker.Container) => Promise<unknown>;
}

/**
 * Runs a helper container as root, without a network, and removes it.
 * @returns its output when it failed
 */
export async function runHelper(
  engine: Engine,
  { hostId }: Ownership,
  options: Docker.ContainerCreateOptions,
  { timeoutMs, before, after }: HelperWork,
): Promise<{ readonly code: number; readonly text: string }> {
  const container = await engine.call((docker, abortSignal) => {
    return docker.createContainer({
      name: `drydock-${hostId}-helper-${randomBytes(8).toString('hex')}`,
      User: '0:0',
      WorkingDir: '/',
      Labels: { [LABEL.host]: hostId, [LABEL.helper]: `${readOwnMark()}-` },
      Healthcheck: { Test: ['NONE'] },
      ...options,
      HostConfig: {
        NetworkMode: 'none',
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        LogConfig: { Type: 'json-file', Config: {} },
        ...options.HostConfig,
      },
      abortSignal,
    });
  });
  try {
    await before?.(container);
    await engine.call((_docker, abortSignal) => container.start({ abortSignal }));
    const { StatusCode } = await engine.call(
      (_docker, abortSignal) => container.wait({ abortSignal }),
      timeoutMs,
    );
    if (StatusCode === 0) {
      await after?.(container);
      return { code: StatusCode, text: '' };
    }
    const logs = await engine.call((_docker, abortSignal) => {
      return container.logs({ stdout: true, stderr: true, follow: false, abortSignal });
    });
    return { code: StatusCode, text: logs.toString() };
  } finally {
    await removeContainer(engine, container.id);
  }
}

/** Removes the container with its anonymous volumes; resolves when it is gone. */
export async function removeContainer(engine: Engine, name: string): Promise<void> {
  await engine.find((docker, abortSignal) => {
    return docker.getContainer(name).remove({ force: true, v: true, abortSignal });
  });
}
