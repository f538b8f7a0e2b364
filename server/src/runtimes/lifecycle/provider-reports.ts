/** Features of the providers of a host. Unavailable providers are checked again: an engine may be started after the server. */
import { isDeepStrictEqual } from 'node:util';
import type { ProviderReport, SandboxProvider } from '../../platform/sandbox/sandbox-provider.ts';

/** Adjusts reports, for example when a provider is unavailable for a reason that it does not know. */
export type Judge = (report: ProviderReport) => ProviderReport;

const elsewhere = { available: false, supportsPause: false, preserves: [], limits: [] } as const;

/** Providers that the API documents and no host has. */
const OTHERS: readonly ProviderReport[] = [
  {
    name: 'hosted_sandbox',
    ...elsewhere,
    isolation: 'vm',
    reason: 'No service of hosted sandboxes is configured, and this release knows of none.',
  },
];

export class ProviderReports {
  readonly #providers: readonly SandboxProvider[];
  readonly #judge: Judge;
  #own: readonly ProviderReport[] = [];

  private constructor(providers: readonly SandboxProvider[], judge: Judge) {
    this.#providers = providers;
    this.#judge = judge;
  }

  static async of(providers: readonly SandboxProvider[], judge: Judge): Promise<ProviderReports> {
    const reports = new ProviderReports(providers, judge);
    await reports.askAgain();
    return reports;
  }

  get all(): readonly ProviderReport[] {
    return [...this.#own, ...OTHERS];
  }

  /**
   * Checks unavailable providers again.
   * @returns whether anything has changed
   */
  async askAgain(): Promise<boolean> {
    const before = this.#own;
    const own: ProviderReport[] = [];
    for (const [index, provider] of this.#providers.entries()) {
      const known = before[index];
      own.push(known?.available ? known : this.#judge(await provider.probe()));
    }
    this.#own = own;
    return !isDeepStrictEqual(own, before);
  }
}
