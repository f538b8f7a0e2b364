/** The callers. Fuzzing deletes keys, removes members and takes roles away; this restores them. */
import { randomBytes } from 'node:crypto';
import { type Ask, askFor } from './ask.ts';
import type { PersonaName } from './generate.ts';

interface Person {
  readonly id: string;
  readonly email: string;
  readonly key: string;
  readonly keyId: string;
  readonly token: string;
  readonly refreshToken: string;
}

type Role = 'owner' | 'member' | 'none';

const PASSWORD = 'a password for the fuzzer';
/** Enough for operations of platform admins, and too little to harm the owner of the key. */
const ADMIN_SCOPES = ['user:read', 'organization:write', 'usage:write'];
const NARROW_SCOPES = [
  'user:read',
  'user:write',
  'projects:read',
  'projects:write',
  'workspaces:read',
  'datasets:read',
  'models:write',
];

export class Personas {
  private readonly ask: Ask;
  /** Key of the user who prepares everything, and is never used for fuzzing. */
  private readonly rootKey: string;
  private rootId = '';
  /** Key of the organization that is fuzzed. */
  organization = '';
  private readonly people = new Map<string, Person>();
  private narrowKey = '';
  private adminKey = '';

  constructor(ask: Ask, rootKey: string) {
    this.ask = ask;
    this.rootKey = rootKey;
  }

  /** Ensures that every caller exists with the intended permissions. */
  async restore(): Promise<void> {
    if (!this.organization) {
      this.rootId = (await askFor(this.ask, 200, this.rootKey, 'GET', '/user')).body.id;
      const organizations = await askFor(this.ask, 200, this.rootKey, 'GET', '/user/organizations');
      this.organization = organizations.body[0].key;
    }
    // Removes a limit that a fuzzed request may have set and that would keep them out.
    const limits = { max_members: null };
    await askFor(this.ask, 200, this.rootKey, 'PATCH', `/org/${this.organization}`, limits);
    await this.restorePerson('owner', 'owner');
    await this.restorePerson('member', 'member');
    await this.restorePerson('outsider', 'none');
    await this.restorePerson('visitor', 'member');
    await this.restoreNarrowKey();
    await this.restoreAdminKey();
  }

  credential(persona: PersonaName): string {
    if (persona === 'narrow') return this.narrowKey;
    if (persona === 'admin') return this.adminKey;
    if (persona === 'login') return this.person('owner').token;
    return this.person(persona).key;
  }

  /** Ids that must not be deleted, since their owner could not send any further requests. */
  get protectedIds(): ReadonlySet<string> {
    const lasting = ['owner', 'member'].map((name) => this.person(name));
    return new Set([this.rootId, ...lasting.flatMap(({ id, keyId }) => [id, keyId])]);
  }

  /** A user whose login may be tried: address, password and tokens are valid. */
  get visitor(): Visitor {
    const { email, token, refreshToken } = this.person('visitor');
    return { email, password: PASSWORD, token, refreshToken };
  }

  /** Users who may be added, removed and given roles; the first is not in the organization, the last is. */
  get expendable(): readonly { readonly id: string; readonly email: string }[] {
    return [this.person('outsider'), this.person('visitor')];
  }

  private person(name: string): Person {
    const person = this.people.get(name);
    if (!person) throw new Error(`There is no ${name}.`);
    return person;
  }

  private async restorePerson(name: string, role: Role): Promise<void> {
    const known = this.people.get(name);
    const isWell = known && (await this.isAccepted(known.key)) && (await this.isAccepted(known.token));
    const person = isWell
      ? known
      : ((known && (await this.logInAgain(known))) ?? (await this.signUp(name, role)));
    this.people.set(name, person);
    await this.restoreRole(person, role);
  }

  private async isAccepted(credential: string): Promise<boolean> {
    return (await this.ask(credential, 'GET', '/user')).status === 200;
  }

  private async logInAgain({ email }: Person): Promise<Person | undefined> {
    const login = await this.ask(undefined, 'POST', '/auth/login', {
      email_address: email,
      password: PASSWORD,
    });
    return login.status === 200 ? this.withKey(email, login.body) : undefined;
  }

  /** Signs up by invitation, which also works while sign-up is closed; an outsider leaves again. */
  private async signUp(name: string, role: Role): Promise<Person> {
    const suffix = randomBytes(4).toString('hex');
    const email_address = `fuzz-${name}-${suffix}@example.com`;
    const path = `/org/${this.organization}/invitations`;
    const invitation = { email_address, role: role === 'none' ? 'member' : role };
    const { invitation_token } = (await askFor(this.ask, 201, this.rootKey, 'POST', path, invitation)).body;
    const request = {
      email_address,
      password: PASSWORD,
      username: `fuzz-${name}-${suffix}`,
      invitation_token,
    };
    const signup = await askFor(this.ask, 201, undefined, 'POST', '/auth/signup', request);
    return this.withKey(email_address, signup.body);
  }

  private async withKey(email: string, login: Login): Promise<Person> {
    const { access_token: token, refresh_token: refreshToken, user } = login;
    const created = await askFor(this.ask, 201, token, 'POST', '/user/api-keys', { name: 'fuzz' });
    return { id: user.id, email, key: created.body.key, keyId: created.body.id, token, refreshToken };
  }

  private async restoreRole(person: Person, role: Role): Promise<void> {
    const path = `/org/${this.organization}/members`;
    const members = (await askFor(this.ask, 200, this.rootKey, 'GET', path)).body as Member[];
    const current = members.find(({ user_id }) => user_id === person.id)?.role ?? 'none';
    if (current === role) return;
    const its = `${path}/${person.id}`;
    if (role === 'none') await askFor(this.ask, 204, this.rootKey, 'DELETE', its);
    else if (current === 'none') await this.join(path, person, role);
    else await askFor(this.ask, 200, this.rootKey, 'PATCH', its, { role });
  }

  private async join(path: string, { token }: Person, role: Role): Promise<void> {
    const { username } = (await askFor(this.ask, 200, token, 'GET', '/user')).body;
    await askFor(this.ask, 201, this.rootKey, 'POST', path, { user: username, role });
  }

  private async restoreNarrowKey(): Promise<void> {
    if (this.narrowKey && (await this.isAccepted(this.narrowKey))) return;
    const request = { name: 'fuzz narrow', allowed_scopes: NARROW_SCOPES, allow_self_revoke: true };
    const { token } = this.person('owner');
    this.narrowKey = (await askFor(this.ask, 201, token, 'POST', '/user/api-keys', request)).body.key;
  }

  private async restoreAdminKey(): Promise<void> {
    if (this.adminKey && (await this.isAccepted(this.adminKey))) return;
    const request = { name: 'fuzz admin', allowed_scopes: ADMIN_SCOPES };
    const created = await askFor(this.ask, 201, this.rootKey, 'POST', '/user/api-keys', request);
    this.adminKey = created.body.key;
  }
}

interface Visitor {
  readonly email: string;
  readonly password: string;
  readonly token: string;
  readonly refreshToken: string;
}

interface Login {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly user: { readonly id: string };
}

interface Member {
  readonly user_id: string;
  readonly role: Role;
}
