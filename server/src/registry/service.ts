/** What other domains may ask of the registry: what a reference means, who sees what, and the catalogue of what is public. */
import * as schema from './artifacts/schema.ts';
import * as catalogue from './catalogue.ts';
import * as references from './references.ts';
import * as resolve from './resolve.ts';
import * as versions from './version.ts';
import * as visibility from './visibility.ts';

export type Reference = references.Reference;

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

export const isShared = visibility.isShared;
export const setInCatalogue = catalogue.setInCatalogue;
