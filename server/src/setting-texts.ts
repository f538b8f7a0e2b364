/** The meaning of every setting, for docs/operate/configuration.md. The compiler reports a setting without one. */
import type { Environment } from './config.ts';

export interface SettingText {
  readonly meaning: string;
  /** The default, if it is not a constant of the schema. */
  readonly otherwise?: string;
}

type Texts = Readonly<Record<keyof typeof Environment.shape, SettingText>>;

export const SETTING_TEXTS: Texts = {
  HOST: { meaning: 'the address that the server listens on' },
  PORT: { meaning: 'the port that the server listens on' },
  DRYDOCK_PUBLIC_URL: { otherwise: '`http://HOST:PORT`', meaning: 'the address in links' },
  DRYDOCK_DATA_DIR: {
    meaning:
      'the folder of the bundled PostgreSQL, the embedded object store, the generated secret key and sandboxes',
  },
  DRYDOCK_SECRET_KEY: {
    otherwise: 'generated in the data directory',
    meaning:
      'signs tokens and encrypts secrets; required with `DATABASE_URL`. See [secret keys](secret-keys.md)',
  },
  DRYDOCK_SECRET_KEY_PREVIOUS: { meaning: 'while the secret key is changed: the other key that is in use' },
  DRYDOCK_LOG_LEVEL: {
    meaning:
      'the least level that is logged, on standard error: `fatal`, `error`, `warn`, `info`, `debug`, `trace`, `silent`',
  },
  DRYDOCK_LOG_FORMAT: {
    meaning: '`json`, or `pretty` for people; `auto` is `pretty` at a terminal and `json` elsewhere',
  },
  DRYDOCK_TRUSTED_PROXIES: {
    meaning:
      'addresses whose `X-Forwarded-For` is believed; set it behind a proxy, else all users share its address and its limits',
  },
  DATABASE_URL: { otherwise: 'unset: bundled PostgreSQL', meaning: 'any PostgreSQL from 16 on' },
  DATABASE_DIRECT_URL: {
    otherwise: '`DATABASE_URL`',
    meaning:
      'for migrations, jobs and `LISTEN`, when `DATABASE_URL` is a transaction pooler; without it events arrive up to a second late and jobs begin up to two',
  },
  DATABASE_NAMED_STATEMENTS: { meaning: '`0` behind a pooler that does not follow prepared statements' },
  DATABASE_POOL_SIZE: { meaning: 'connections of each process' },
  S3_ENDPOINT: {
    otherwise: 'AWS',
    meaning: 'where that S3 is, as clients reach it too; with an endpoint, addresses are path-style',
  },
  S3_REGION: { meaning: 'the region of that S3' },
  S3_BUCKET: {
    otherwise: 'unset: embedded store',
    meaning: 'keeps objects in that bucket of an S3; needed with several hosts',
  },
  S3_ACCESS_KEY_ID: { otherwise: 'the machine’s own', meaning: 'a key that may do everything in the bucket' },
  S3_SECRET_ACCESS_KEY: { otherwise: 'the machine’s own', meaning: 'the secret of that key' },
  S3_STS_ENDPOINT: {
    otherwise: '`S3_ENDPOINT` (AWS: its own)',
    meaning: 'the token service that gives out credentials of a workspace',
  },
  S3_STS_ROLE_ARN: {
    meaning:
      'the role that is assumed for these credentials; without it they are not given out. [What AWS wants](../design/object-storage.md#a-bucket-at-aws)',
  },
  DRYDOCK_S3_PORT: { otherwise: '`PORT` + 1', meaning: 'the port of the gateway of the embedded store' },
  DRYDOCK_S3_PUBLIC_URL: {
    otherwise: '`http://HOST:<that port>`',
    meaning:
      'the address under which clients reach that gateway; where `HOST` is `0.0.0.0` or `::`, the host of `DRYDOCK_PUBLIC_URL` by default',
  },
  DRYDOCK_INIT_ORG: { meaning: 'the organization that is made on an empty database' },
  DRYDOCK_INIT_WORKSPACE: { meaning: 'its workspace' },
  DRYDOCK_INIT_PROJECT: { meaning: 'its project' },
  DRYDOCK_INIT_EMAIL: { meaning: 'the e-mail address of the first user' },
  DRYDOCK_INIT_USERNAME: { meaning: 'the name of the first user' },
  DRYDOCK_INIT_PASSWORD: { otherwise: 'generated', meaning: 'the password of the first user' },
  DRYDOCK_INIT_API_KEY: {
    otherwise: 'generated',
    meaning: 'the API key of the first user: `dd_` and 40 characters',
  },
  DRYDOCK_SIGNUP: { meaning: '`open` lets anyone sign up; invitations work in both' },
  DRYDOCK_CREDITS: {
    meaning:
      '`enforced`: a sandbox runs no longer than the organization’s credits pay for, and no model is called that they do not; usage is recorded in both',
  },
  DRYDOCK_ROLE: { meaning: '`server` answers requests, `worker` does jobs, `all` both' },
  DRYDOCK_METRICS_PORT: {
    meaning: 'the [metrics](metrics.md) without a credential, on the loopback address',
  },
  DRYDOCK_MIN_CLIENT_VERSION: {
    meaning: 'a client that says an older version in `X-Client-Version` is told to upgrade',
  },
  DRYDOCK_RATE_LIMIT_READ: {
    meaning:
      'reads a minute for each key (access tokens: for each user; without a credential: for each client address); `0` = no limit',
  },
  DRYDOCK_RATE_LIMIT_WRITE: { meaning: 'the same for writes' },
  DRYDOCK_RATE_LIMIT_INGEST: {
    meaning: 'the same for spans, transcripts, calls of models and requests to ports of runtimes',
  },
  DRYDOCK_MAX_RUNTIME_SECONDS: { meaning: 'the longest time that a sandbox may ask for' },
  DRYDOCK_DEFAULT_RUNTIME_SECONDS: { meaning: 'the time of a sandbox that asks for none' },
  DRYDOCK_HOST_URL: {
    otherwise: 'the public URL',
    meaning:
      'how other processes reach this one for its sandboxes: it must name this very process, not a load balancer',
  },
  DRYDOCK_ALLOW_PROCESS_ISOLATION: {
    meaning: '`1` lets sandboxes that share the machine’s kernel run also where `DRYDOCK_SIGNUP` is `open`',
  },
  DRYDOCK_CONTAINER_IMAGE: {
    otherwise: 'unset: no containers',
    meaning:
      'the image that sandboxes of the provider `container` are made of. See [containers](../guides/runtimes.md#sandboxes-in-containers)',
  },
  DRYDOCK_CONTAINER_HOST: {
    otherwise: 'the engine of this machine',
    meaning: '`unix:///…`, or `tcp://host:port` with certificates',
  },
  DRYDOCK_CONTAINER_CERTS: { meaning: 'a folder with `ca.pem`, `cert.pem` and `key.pem`' },
  DRYDOCK_CONTAINER_RUNTIME: {
    otherwise: 'the engine’s',
    meaning: 'what runs its containers, such as `runsc`',
  },
  DRYDOCK_CONTAINER_PULL: { meaning: '`1` lets the engine fetch an image that it does not have' },
  DRYDOCK_ALLOW_PRIVATE_PROVIDERS: {
    meaning:
      '`1` lets organizations call models and attack targets of the red team at addresses that are not public: of this machine, of your network, link-local ones',
  },
  DRYDOCK_VENDOR_WORDS: {
    meaning:
      '`1` names backends in responses as other products do (`gepa` for `optimizer_a`, `tinker` and `ray` for `hosted_a` and `hosted_b`), for clients that insist on these names; requests may always use them',
  },
  DRYDOCK_TRAINER_PYTHON: {
    otherwise: 'that of `npm run setup -- --training`',
    meaning:
      'a Python that has the packages of `trainer/requirements.txt`, for the trainer beside the server',
  },
  DRYDOCK_DISK_RESERVE: {
    otherwise: '`512M`, or 10 % of a smaller disk',
    meaning: 'what is kept free for the database: bulk writes are refused before',
  },
  DRYDOCK_QUOTA_OBJECTS: {
    otherwise: '20 % of the disk',
    meaning:
      'what one organization may store as objects, such as `500M` or `20G`; `none` = no quota. See [storage limits](../design/storage-limits.md)',
  },
  DRYDOCK_QUOTA_REGISTRY: { otherwise: '20 % of the disk', meaning: 'the same for the registry' },
  DRYDOCK_QUOTA_RUNTIMES: { otherwise: '20 % of the disk', meaning: 'the same for disks of runtimes' },
  DRYDOCK_QUOTA_SPANS: { otherwise: '10 % of the disk', meaning: 'the same for spans' },
  DRYDOCK_PRICE_LIST: {
    otherwise: 'the list that is built in',
    meaning:
      'a JSON file with the prices of public models, for spans that do not say what a call cost. See [prices](../design/prices.md)',
  },
};
