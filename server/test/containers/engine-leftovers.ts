/** Finds what a sandbox has left at an engine, from the engine's own files, without asking the engine or the provider. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineAccess } from './engine-under-test.ts';

/** Names by which its processes are recognised from the outside. */
export function findNames(id: string, engine: EngineAccess | undefined): string[] {
  return [id, ...(engine?.kind === 'docker' ? findDockerIds(engine, id) : [])];
}

/** Finds everything except its disk. */
export function findAtEngine(id: string, engine: EngineAccess | undefined): string[] {
  if (!engine) return [];
  const containers =
    engine.kind === 'docker'
      ? findDockerIds(engine, id)
      : readText(join(engine.root, 'overlay-containers/containers.json')).includes(id)
        ? [`podman's ${id}`]
        : [];
  const volumes = list(join(engine.root, 'volumes')).filter((name) => name.includes(id));
  return [...containers.map((name) => `container ${name}`), ...volumes.map((name) => `volume ${name}`)];
}

function findDockerIds({ root }: EngineAccess, id: string): string[] {
  const folder = join(root, 'containers');
  return list(folder).filter((name) => readText(join(folder, name, 'config.v2.json')).includes(`"${id}"`));
}

const list = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
