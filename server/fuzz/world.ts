/** What there is to ask about. The document tells where things are listed, made and deleted; they are kept in supply. */
import { type Ask, askFor } from './ask.ts';
import { type ApiDocument, placeholders, type Schema } from './document.ts';
import type { PersonaName, World } from './generate.ts';
import { Personas } from './personas.ts';
import { Random } from './random.ts';
import { goodValue } from './values.ts';

/** Of each kind of thing, so many can be asked for; the choice among them never depends on how many there are. */
const SUPPLY = 4;
/** More are deleted, so that lists and memory show what a request costs and not how many there were. */
const SURPLUS = 40;
const PREFIX = '/api/v1';

type Item = Readonly<Record<string, unknown>>;

export class LiveWorld implements World {
  readonly document: ApiDocument;
  private readonly ask: Ask;
  private readonly personas: Personas;
  private readonly random: Random;
  /** By the path that ends with the placeholder: /api/v1/user/secrets/{id}. */
  private readonly values = new Map<string, readonly string[]>();
  private readonly paths: readonly string[];
  /** What the server made up for the asking, such as the codes of a sign-in: other operations take them. */
  private readonly codes = new Map<string, string>();

  constructor(document: ApiDocument, ask: Ask, rootKey: string, seed: string) {
    this.document = document;
    this.ask = ask;
    this.personas = new Personas(ask, rootKey);
    this.random = new Random(seed, 'world');
    const paths = document.operations.flatMap(({ path }) =>
      placeholders(path).map((name) => path.slice(0, path.indexOf(`{${name}}`) + name.length + 2)),
    );
    // Shorter ones first: what lies below a workspace needs the workspace.
    this.paths = [...new Set(paths)].toSorted((a, b) => a.length - b.length);
  }

  async restore(): Promise<void> {
    await this.personas.restore();
    for (const path of this.paths) this.values.set(path, await this.supply(path));
    await this.approveCode();
  }

  credential(persona: PersonaName): string {
    return this.personas.credential(persona);
  }

  pathValues(path: string): readonly string[] {
    const found = this.values.get(path);
    if (!found) throw new Error(`Nothing is known for ${path}.`);
    return found;
  }

  known = (field: string, schema: Schema): readonly string[] => {
    const { visitor, expendable } = this.personas;
    if (field === 'email_address') return [visitor.email];
    if (field === 'password') return [visitor.password];
    if (field === 'refresh_token') return [visitor.refreshToken];
    if (field === 'user') return expendable.map(({ email }) => email);
    const code = this.codes.get(field);
    if (code !== undefined) return [code];
    if (schema.format !== 'uuid') return [];
    return field.includes('user')
      ? expendable.map(({ id }) => id)
      : [...this.values.values()].flat().filter(isUuid);
  };

  private async supply(path: string): Promise<string[]> {
    const name = placeholders(path).at(-1) ?? '';
    if (path === `${PREFIX}/org/{org}`) return this.padded([this.personas.organization]);
    const collection = path.slice(0, path.lastIndexOf('/'));
    const found = await this.list(collection, name);
    found.push(...(await this.make(collection, name, SUPPLY - found.length)));
    if (this.document.find('DELETE', path)) await this.clear(collection, found.slice(SURPLUS));
    // Who belongs to the organization first: only they can be given roles.
    const others = name === 'user_id' ? this.personas.expendable.map(({ id }) => id).toReversed() : [];
    return this.padded([...found, ...others]);
  }

  /** One code to exchange and another to approve: each can be done only once. */
  private async approveCode(): Promise<void> {
    const create = async () => (await askFor(this.ask, 201, undefined, 'POST', '/auth/device/code')).body;
    const [approved, waiting] = [await create(), await create()];
    const { user_code } = approved;
    await askFor(this.ask, 200, this.personas.visitor.token, 'POST', '/auth/device/approve', { user_code });
    this.codes.set('device_code', approved.device_code);
    this.codes.set('user_code', waiting.user_code);
  }

  private async make(collection: string, name: string, count: number): Promise<string[]> {
    const creator = this.document.find('POST', collection);
    const made: string[] = [];
    if (!creator) return made;
    for (let at = 0; at < count; at++) {
      const context = { document: this.document, random: this.random, known: () => [] };
      const body = creator.body && goodValue(context, creator.body);
      const answer = await this.ask(this.credential('owner'), 'POST', this.fill(collection), body);
      // A schema does not tell everything: what is refused is missing, and an id of nothing stands in for it.
      if (answer.status < 300) made.push(valueOf(answer.body, name));
    }
    return made;
  }

  private async clear(collection: string, surplus: readonly string[]): Promise<void> {
    for (const value of surplus) {
      const path = `${this.fill(collection)}/${encodeURIComponent(value)}`;
      await this.ask(this.credential('owner'), 'DELETE', path);
    }
  }

  private async list(collection: string, name: string): Promise<string[]> {
    if (!this.document.find('GET', collection)) return [];
    const { body } = await askFor(this.ask, 200, this.credential('owner'), 'GET', this.fill(collection));
    const items = (Array.isArray(body) ? body : Object.values(body as object).find(Array.isArray)) as Item[];
    const ids = this.personas.protectedIds;
    const free = items.filter((item) => ![item.id, item.user_id].some((id) => ids.has(String(id))));
    // A default cannot be deleted, so it is never the first.
    const [first, ...rest] = free.filter((item) => item.is_default !== true);
    const defaults = free.filter((item) => item.is_default === true);
    return [...(first ? [first] : []), ...defaults, ...rest].map((item) => valueOf(item, name));
  }

  /** The first of everything that the path goes through. */
  private fill(path: string): string {
    return path.slice(PREFIX.length).replace(/\{[^}]+\}/g, (_name, at: number) => {
      const end = path.indexOf('}', at + PREFIX.length) + 1;
      return encodeURIComponent(this.values.get(path.slice(0, end))?.[0] ?? 'none');
    });
  }

  private padded(values: readonly string[]): string[] {
    return Array.from({ length: SUPPLY }, (_, at) => values[at] ?? values[0] ?? this.random.uuid());
  }
}

function valueOf(item: Item, name: string): string {
  const isId = name === 'id' || name.endsWith('_id');
  return String(item[name] ?? (isId ? item.id : (item.key ?? item.name ?? item.id)));
}

const isUuid = (text: string) => /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(text);
