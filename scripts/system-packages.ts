export interface SystemPackage {
  readonly name: string;
  /** The program by which one sees that it is there. */
  readonly command: string;
  /** What does not work without it. */
  readonly feature: string;
}

/** Debian packages that features need beyond what npm installs. */
export const SYSTEM_PACKAGES: readonly SystemPackage[] = [];
