/** The resources to request. The document shows where resources are listed, created and deleted; a supply of each is maintained. */
import { randomUUID } from 'node:crypto';
import { type Ask, askFor } from './ask.ts';
import { makeBundle } from './bundle.ts';
import { type ApiDocument, placeholders, type Schema } from './document.ts';
import type { PersonaName, World } from './generate.ts';
import { Personas } from './personas.ts';
import { Random } from './random.ts';
import { goodValue } from './values.ts';

/** Number of resources of each kind that requests may use; the choice among them never depends on how many exist. */
const SUPPLY = 4;
/** Above this number resources are deleted, so that lists and memory show the cost of a request and not the number of resources. */
const SURPLUS = 40;
const PREFIX = '/api/v1';
const QUESTION = 'SELECT id, title FROM sessions';
/** Takes some seconds, since a query that has ended cannot be cancelled. */
const LONG_QUESTION = 'SELECT sum(hash(range)) AS sum FROM range(500000000)';
const FIRST_VERSION = '1.0.0';
const PUT_NAME = 'fuzz';
/** Larger than any number that a plain request generates, so that every generated number is that of a message. */
const MESSAGES = 120;

type Item = Readonly<Record<string, unknown>>;

export class LiveWorld implements World {
  readonly document: ApiDocument;
  private readonly ask: Ask;
  private readonly personas: Personas;
  private readonly random: Random;
  /** Values by the path that ends with the placeholder: /api/v1/user/secrets/{id}. */
  private readonly values = new Map<string, readonly string[]>();
  /** The workspace and the other parents of the values, by the same path. */
  private readonly places = new Map<string, string>();
  private readonly paths: readonly string[];
  /** Values that the server generates, such as the codes of a sign-in, which other operations need. */
  private readonly codes = new Map<string, string>();

  constructor(document: ApiDocument, ask: Ask, rootKey: string, seed: string) {
    this.document = document;
    this.ask = ask;
    this.personas = new Personas(ask, rootKey);
    this.random = new Random(seed, 'world');
    const paths = document.operations.flatMap(({ path }) =>
      placeholders(path).map((name) => path.slice(0, path.indexOf(`{${name}}`) + name.length + 2)),
    );
    // Shorter paths first, since resources below a workspace need the workspace.
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
    // A model that always exists and calls no provider.
    if (field === 'model') return ['sim/echo'];
    if (field === 'query') return [QUESTION];
    if (field === 'user') return expendable.map(({ email }) => email);
    if (field === 'version' && this.paths.some((path) => path.endsWith('{version}'))) return [FIRST_VERSION];
    if (field === 'name' && /^Local name|of a public artifact$/.test(schema.description ?? ''))
      return this.capabilities;
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
    // Members of the organization come first, since only they can be given roles.
    if (name === 'user_id')
      return this.padded([...found, ...this.personas.expendable.map(({ id }) => id).toReversed()]);
    if (name === 'export_id') return this.padded([await this.export(collection), ...found.slice(0, SUPPLY)]);
    if (name === 'binding_id' && found.length === 0) found.push(...(await this.install(collection)));
    const before = this.values.get(path);
    const place = this.fill(collection);
    if (before && this.isKept(collection, path) && this.places.get(path) === place) return [...before];
    this.places.set(path, place);
    const missing = SUPPLY - found.length;
    if (this.document.find('POST', `${path}/transcript`))
      found.unshift(await this.createConversation(collection));
    if (name === 'job_id' && found.length === 0) found.push(...(await this.optimize(collection)));
    if (name === 'assessment_id' && found.length === 0) found.push(...(await this.assess(collection)));
    if (name === 'capability') found.push(...this.capabilities);
    if (name === 'finding_id') found.push(...(await this.findings(collection)));
    if (name === 'trace_id' && found.length === 0) found.push(await this.trace(collection));
    found.push(...(await this.make(collection, name, missing)), ...(await this.publish(path, missing)));
    if (found.length === 0) found.push(...(await this.put(path)));
    if (this.document.find('DELETE', path)) await this.clear(collection, found.slice(SURPLUS));
    return this.padded(found);
  }

  /** Values without a list and a deletion, such as the codes of a sign-in, still exist after their creation. */
  private isKept(collection: string, path: string): boolean {
    return !this.document.find('GET', collection) && !this.document.find('DELETE', path);
  }

  /** Creates one code to exchange and another to approve, since each can be used only once. */
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
      for (const isPlain of [false, true]) {
        const context = { document: this.document, random: this.random, known: () => [], isPlain };
        const body = creator.body && goodValue(context, creator.body);
        const response = await this.ask(this.credential('owner'), 'POST', this.fill(collection), body);
        // A schema does not describe everything: a refused creation is skipped, and the id of a missing resource is used.
        if (response.status >= 300) continue;
        made.push(valueOf(response.body, name));
        break;
      }
    }
    return made;
  }

  /** Adds messages of every role, with tool calls and results, to an otherwise unused session. */
  private async createConversation(collection: string): Promise<string> {
    const [owner, id] = [this.credential('owner'), randomUUID()];
    const place = this.fill(collection);
    await askFor(this.ask, 201, owner, 'POST', place, { id, model: 'sim/echo', title: 'Fuzz' });
    const messages = Array.from({ length: MESSAGES }, (_, number) => newMessage(number));
    await askFor(this.ask, 201, owner, 'POST', `${place}/${id}/transcript`, { messages });
    return id;
  }

  /** Capabilities by their local names. */
  private get capabilities(): readonly string[] {
    return this.values.get(`${PREFIX}/org/{org}/capabilities/{name}`) ?? [];
  }

  /** A capability must be published before it is installed. */
  private async install(collection: string): Promise<string[]> {
    const body = { name: this.capabilities[0] };
    const response = await this.ask(this.credential('owner'), 'POST', this.fill(collection), body);
    return response.status === 201 ? [valueOf(response.body, 'binding_id')] : [];
  }

  /** No schema says that a job needs a published capability with an agent, and a published dataset. */
  private async optimize(collection: string): Promise<string[]> {
    const [dataset] = this.values.get(`${PREFIX}/org/{org}/datasets/{name}`) ?? [];
    const response = await this.ask(this.credential('owner'), 'POST', this.fill(collection), {
      target_kind: 'capability_agent',
      model: 'sim/instructed',
      capability_ref: { name: this.capabilities[0], version: FIRST_VERSION },
      dataset_ref: { name: dataset, version: FIRST_VERSION },
      reward_recipe: { name: 'row_reward_v1' },
      config: { max_trials: 1 },
    });
    return response.status === 201 ? [valueOf(response.body, 'job_id')] : [];
  }

  /** An assessment needs a project in its query. One is started, so that it has findings; the other can still be started. */
  private async assess(collection: string): Promise<string[]> {
    const [owner, place] = [this.credential('owner'), this.fill(collection)];
    const workspace = place.slice(0, place.indexOf('/airt'));
    const projects = await this.ask(owner, 'GET', `${workspace}/projects`);
    const project = valueOf((projects.body.items ?? projects.body)[0], 'project_id');
    const made: string[] = [];
    for (const isStarted of [true, false]) {
      const response = await this.ask(owner, 'POST', `${place}?project_id=${project}`, {
        name: 'Fuzz',
        target_model: 'sim/guarded',
        attack_manifest: [{ attack: 'baseline', goals: ['Fuzz'], trials: 1 }],
      });
      if (response.status !== 201) continue;
      const id = valueOf(response.body, 'assessment_id');
      if (isStarted) await this.ask(owner, 'POST', `${place}/${id}/start`);
      made.push(id);
    }
    return made;
  }

  private async findings(collection: string): Promise<string[]> {
    const place = this.fill(collection).replace(/findings$/, 'projects/default/findings');
    const { body } = await this.ask(this.credential('owner'), 'GET', place);
    const items: readonly Item[] = body.items ?? [];
    return items.map((item) => valueOf(item, 'finding_id'));
  }

  /** No schema describes SQL queries. A running export is not started twice, since each takes a core. */
  private async export(collection: string): Promise<string> {
    const [owner, place] = [this.credential('owner'), this.fill(collection)];
    const [before] = this.values.get(`${collection}/{export_id}`) ?? [];
    if (before !== undefined) {
      const { body } = await this.ask(owner, 'GET', `${place}/${before}`);
      if (['queued', 'running'].includes(body.status)) return before;
    }
    const { body } = await askFor(this.ask, 201, owner, 'POST', place, { query: LONG_QUESTION });
    return valueOf(body, 'export_id');
  }

  /** Sends spans as OpenTelemetry does, since no operation creates a trace where traces are listed. */
  private async trace(collection: string): Promise<string> {
    const [, , org, , workspace = ''] = this.fill(collection).split('/');
    const id = randomUUID().replaceAll('-', '');
    const response = await askFor(
      this.ask,
      200,
      this.credential('owner'),
      'POST',
      `/org/${org}/otel/traces`,
      {
        resourceSpans: [newSpans(id, decodeURIComponent(workspace))],
      },
    );
    if (response.body.partialSuccess) throw new Error(`Refused: ${JSON.stringify(response.body)}`);
    return id;
  }

  /** Uploads bytes to paths with new names. */
  private async publish(path: string, count: number): Promise<string[]> {
    const uploader = this.document.operations.find(
      ({ upload, method, path: its }) => upload && method === 'PUT' && its.startsWith(`${path}/`),
    );
    const made: string[] = [];
    if (!uploader) return made;
    for (let at = 0; at < count; at++) {
      const name = this.random.text('abcdefghijklmnopqrstuvwxyz', 10);
      const place = `${this.fill(path.slice(0, path.lastIndexOf('/')))}/${name}/${FIRST_VERSION}`;
      const bundle = makeBundle(name, FIRST_VERSION);
      const { status } = await this.ask(this.credential('owner'), 'PUT', place, bundle);
      if (status < 300) made.push(name);
    }
    return made;
  }

  /** Creates resources that have no list, under chosen names. */
  private async put(path: string): Promise<string[]> {
    const putter = this.document.find('PUT', path);
    if (!putter?.body || this.document.find('GET', path.slice(0, path.lastIndexOf('/')))) return [];
    const context = { document: this.document, random: this.random, known: this.known, isPlain: true };
    const place = `${this.fill(path.slice(0, path.lastIndexOf('/')))}/${PUT_NAME}`;
    const body = goodValue(context, putter.body);
    const { status } = await this.ask(this.credential('owner'), 'PUT', place, body);
    return status < 300 ? [PUT_NAME] : [];
  }

  private async clear(collection: string, surplus: readonly string[]): Promise<void> {
    for (const value of surplus) {
      const path = `${this.fill(collection)}/${encodeURIComponent(value)}`;
      await this.ask(this.credential('owner'), 'DELETE', path);
    }
  }

  private async list(collection: string, name: string): Promise<string[]> {
    if (!this.document.find('GET', collection)) return [];
    const { status, body } = await this.ask(this.credential('owner'), 'GET', this.fill(collection));
    // 409: the list is requested while nothing runs.
    if (status === 404 || status === 409) return [];
    if (status !== 200) throw new Error(`${collection} returned ${status}: ${JSON.stringify(body)}`);
    // A single resource may name its children, as an artifact names its version.
    if (typeof body[name] === 'string') return [body[name]];
    const items = (Array.isArray(body) ? body : Object.values(body as object).find(Array.isArray)) as Item[];
    const ids = this.personas.protectedIds;
    // No user can delete a span, not even its sender.
    const isFree = ({ id, user_id }: Item) =>
      name === 'span_id' || ![id, user_id].some((one) => ids.has(String(one)));
    const free = items.filter(isFree);
    // A default cannot be deleted, so it is never the first.
    const [first, ...rest] = free.filter((item) => item.is_default !== true);
    const defaults = free.filter((item) => item.is_default === true);
    return [...(first ? [first] : []), ...defaults, ...rest].map((item) => valueOf(item, name));
  }

  /** Fills in the first value of each placeholder. */
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

function newMessage(number: number) {
  const [content, call] = [`This was said as number ${number}.`, `call-${Math.floor(number / 4)}`];
  const calls = [{ id: call, name: 'look', arguments: '{"at":"it"}' }];
  const usage = { input_tokens: 10, output_tokens: 5 };
  return [
    { role: 'user', content },
    { role: 'assistant', content, tool_calls: calls, usage },
    { role: 'tool', content, tool_call_id: call },
    { role: 'assistant', content, usage: { ...usage, cost_usd: 0.01 } },
  ][number % 4];
}

function newSpans(traceId: string, workspace: string) {
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const span = (number: number, name: string, attributes: object[] = []) => ({
    traceId,
    spanId: `${number}`.padStart(16, '0'),
    ...(number > 1 && { parentSpanId: '1'.padStart(16, '0') }),
    name,
    startTimeUnixNano: `${Date.now() + number}000000`,
    endTimeUnixNano: `${Date.now() + number}500000`,
    attributes,
  });
  const chat = [text('gen_ai.operation.name', 'chat'), text('gen_ai.request.model', 'sim/echo')];
  return {
    resource: { attributes: [text('drydock.workspace', workspace)] },
    scopeSpans: [{ spans: [span(1, 'fuzz'), span(2, 'chat', chat), span(3, 'look')] }],
  };
}

function valueOf(item: Item, name: string): string {
  // The full name of an artifact consists of its organization and its own name.
  if (name === 'name') return String(item.name).split('/').at(-1) ?? '';
  const isId = name === 'id' || name.endsWith('_id');
  return String(item[name] ?? (isId ? item.id : (item.key ?? item.name ?? item.id)));
}

const isUuid = (text: string) => /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(text);
