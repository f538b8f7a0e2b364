/** What other domains may ask of the registry: what a reference means, who sees what, what capabilities hold, and the catalogue of what is public. */
import * as schema from './artifacts/schema.ts';
import * as catalogue from './catalogue.ts';
import * as installed from './installed.ts';
import * as references from './references.ts';
import * as resolve from './resolve.ts';
import * as versions from './version.ts';
import * as visibility from './visibility.ts';

export type Reference = references.Reference;
export type Resolution = resolve.Resolution;
export type ChosenCapability = installed.ChosenCapability;
export type InstalledVersion = installed.InstalledVersion;

/** The rule of names, for artifacts and for what is made of them. */
export const ArtifactName = references.ArtifactName;
export const SemVer = versions.SemVer;

export const UpdateVisibilityRequest = schema.UpdateVisibilityRequest;
export const UpdateVisibilityResponse = schema.UpdateVisibilityResponse;

export const parsePlace = references.parsePlace;
export const parseReference = references.parseReference;
export const precedenceOf = versions.precedenceOf;

export const resolutionOf = resolve.resolutionOf;
export const resolveReferences = resolve.resolveReferences;

export const getCapability = installed.getCapability;
export const getOtherVersion = installed.getOtherVersion;
export const installedOf = installed.installedOf;
export const readFiles = installed.readFiles;
export const shownName = installed.shownName;

export const isShared = visibility.isShared;
export const setInCatalogue = catalogue.setInCatalogue;
