/** The state of the runtime pages in the address. */
import { readNumber, readOneOf, readPage, readText } from '../search-params.ts';

type Search = Record<string, unknown>;

export const RUNTIME_STATES = ['running', 'paused', 'idle'] as const;

export interface RuntimeListSearch {
  readonly state?: (typeof RUNTIME_STATES)[number];
  readonly search?: string;
  readonly page?: number;
  readonly selected?: string;
  /** The dialog for a new runtime is open. */
  readonly new?: true;
}

export const readRuntimeListSearch = (search: Search): RuntimeListSearch => ({
  state: readOneOf(search, 'state', RUNTIME_STATES),
  search: readText(search, 'search'),
  page: readPage(search),
  selected: readText(search, 'selected'),
  new: search['new'] === true ? true : undefined,
});

const RUNTIME_TABS = [
  'overview',
  'terminal',
  'files',
  'processes',
  'ports',
  'capabilities',
  'egress',
  'log',
] as const;
export type RuntimeTab = (typeof RUNTIME_TABS)[number];

export interface RuntimeSearch {
  readonly tab?: RuntimeTab;
  /** The terminal that the page is attached to. */
  readonly terminal?: string;
  /** The folder that is listed, relative to /workspace. */
  readonly folder?: string;
  /** The file that is shown, relative to /workspace. */
  readonly file?: string;
  /** The port and the path of the preview. */
  readonly port?: number;
  readonly path?: string;
  /** The sandbox whose log is shown; the last one by default. */
  readonly sandbox?: string;
}

export const readRuntimeSearch = (search: Search): RuntimeSearch => ({
  tab: readOneOf(search, 'tab', RUNTIME_TABS),
  terminal: readText(search, 'terminal'),
  folder: readText(search, 'folder'),
  file: readText(search, 'file'),
  port: readNumber(search, 'port'),
  path: readText(search, 'path'),
  sandbox: readText(search, 'sandbox'),
});
